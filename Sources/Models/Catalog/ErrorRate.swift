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
    var makesSense: Bool {
        (0...100).contains(percent)
            && ([corpus, unit, source].compactMap { $0 }).allSatisfy { (1...1000).contains($0.utf8.count) }
    }

    /// An element of the member `error_rates` of an entry; nil if it is invalid.
    struct Element: Decodable {
        let rate: ErrorRate?
        init(from decoder: any Decoder) throws { rate = try? ErrorRate(from: decoder) }
    }
}
