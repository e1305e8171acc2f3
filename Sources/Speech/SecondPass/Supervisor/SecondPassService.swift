/// Who computes the second pass of a stream.
protocol SecondPassService: Sendable {
    /// How many utterances it computes at a time, at most.
    var width: Int { get }

    /// Asks what is said in these samples.
    ///
    /// - Parameters:
    ///   - findsSegments: whether the times of segments are wanted, of a model that has none of words.
    ///   - timeout: after how long the outcome is `.failed(.late)`; nil waits as long as it takes.
    ///   - completion: called once, on any thread.
    func decode(
        _ samples: [Int16], findsSegments: Bool, timeout: Duration?, completion: @escaping @Sendable (SecondPassOutcome) -> Void)

    /// Begins with samples that may be the next utterance.
    func decodeAhead(_ samples: [Int16])

    /// They are not the next utterance.
    func endDecodingAhead()

    /// What still waits has the outcome `.failed(.cancelled)`, and nothing more is asked. Does not wait.
    func close()
}

extension SecondPassSupervisor: SecondPassService {
    var width: Int { 1 }
}
