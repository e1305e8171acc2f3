/// How often a model is wrong, as somebody has measured it.
public struct ErrorRate: Hashable, Sendable, Decodable {
    /// What was read to it, such as `LibriSpeech test-clean`; nil when the list does not say.
    public let corpus: String?
    /// What is counted: `words` or `characters`.
    public let unit: String
    public let percent: Double
    /// The address of the page that says so.
    public let source: String?

    /// Whether it can be shown and compared.
    private var makesSense: Bool {
        (0...100).contains(percent) && ([corpus, unit, source].compactMap { $0 }).allSatisfy { (1...1000).contains($0.utf8.count) }
    }

    /// From the member `error_rates` of an entry. What makes no sense is left out.
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
