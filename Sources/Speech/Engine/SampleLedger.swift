/// Where every sample went that a transcriber was given. Counts are of samples at the model's rate.
public struct SampleLedger: Hashable, Sendable {
    /// Given to the transcriber.
    public internal(set) var delivered: Int64 = 0
    /// Under final results with text.
    public internal(set) var transcribed: Int64 = 0
    /// Decoded, and found to hold no words.
    public internal(set) var silent: Int64 = 0
    /// Missing from the input: lost before they came here, by the times of what did come.
    public internal(set) var missing: Int64 = 0

    /// Not final yet. 0 after a finish.
    public var pending: Int64 { delivered - transcribed - silent }

    public init() {}
}
