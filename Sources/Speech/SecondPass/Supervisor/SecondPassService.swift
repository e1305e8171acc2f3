/// A service that computes the second pass of a stream.
protocol SecondPassService: Sendable {
    /// The most utterances that are decoded at a time.
    var width: Int { get }

    /// Decodes samples.
    ///
    /// - Parameters:
    ///   - samples: the sound at 16 kHz.
    ///   - hasTwoThreads: whether the decoding has two threads, or one as those beside it.
    ///   - timeout: the time after which the outcome is `.failed(.late)`; nil for no limit.
    ///   - completion: receives the outcome, once, on any thread.
    func decode(
        _ samples: [Int16], hasTwoThreads: Bool, timeout: Duration?,
        completion: @escaping @Sendable (SecondPassOutcome) -> Void)

    /// Begins to decode samples that may be the next utterance.
    func decodeAhead(_ samples: [Int16])

    /// Cancels `decodeAhead(_:)`: the samples are not the next utterance.
    func endDecodingAhead()

    /// Ends the service: requests that wait get the outcome `.failed(.cancelled)`. Does not wait.
    func close()
}

extension SecondPassSupervisor: SecondPassService {
    var width: Int { 1 }
}
