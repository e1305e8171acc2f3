/// A measured error rate of a model.
public struct ErrorRate: Hashable, Sendable, Decodable {
    /// The recordings that were used, such as `LibriSpeech test-clean`; nil if the list names none.
    public let corpus: String?
    /// The unit that is counted: `words` or `characters`.
    public let unit: String
    /// The percentage of units that are wrong.
    public let percent: Double
    /// The address of the page that published the measurement.
    public let source: String?

    /// Whether the values are valid.
    private var makesSense: Bool {
        (0...100).contains(percent)
            && ([corpus, unit, source].compactMap { $0 }).allSatisfy { (1...1000).contains($0.utf8.count) }
    }

    /// The member `error_rates` of an entry, without invalid elements.
    struct List: Decodable {
        let rates: [ErrorRate]

        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            var rates: [ErrorRate] = []
            while !elements.isAtEnd, rates.count < 100 {
                if let rate = try elements.decode(Element.self).rate, rate.makesSense { rates.append(rate) }
            }
            self.rates = rates
        }
    }

    private struct Element: Decodable {
        let rate: ErrorRate?
        init(from decoder: any Decoder) throws { rate = try? ErrorRate(from: decoder) }
    }
}
