/// Accounts for every sample that a transcriber was given. All counts are of samples at the model's rate.
public struct SampleLedger: Hashable, Sendable {
    /// The number of samples given to the transcriber.
    public internal(set) var delivered: Int64 = 0
    /// The number of samples covered by final results with text.
    public internal(set) var transcribed: Int64 = 0
    /// The number of samples decoded without finding words.
    public internal(set) var silent: Int64 = 0
    /// The number of samples missing from the input, computed from the times of the inputs.
    public internal(set) var missing: Int64 = 0

    /// The number of samples that are not final yet; 0 after a finish.
    public var pending: Int64 { delivered - transcribed - silent }

    /// Creates an empty ledger.
    public init() {}
}
