import Models

/// The recognition of one stream, for one thread at a time. It counts samples at its own rate.
protocol StreamRecognition: AnyObject {
    /// The account of the samples so far.
    var ledger: SampleLedger { get }
    /// The range of the stream that was delivered and is not final yet.
    var volatileRange: Range<Int64> { get }
    /// The position of the next sample if none is missing.
    var nextPosition: Int64 { get }

    /// Takes the next samples of the stream.
    ///
    /// - Parameter position: the position of the first sample; `nil` if it follows the last one directly.
    /// - Throws: `.audioDisordered` if the samples begin before the end of the last ones, and the errors of the engine.
    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64?) throws(SpeechError)

    /// Makes the samples taken final, to the last one. Their text may be decided later.
    func finalize() throws(SpeechError)

    /// Continues with another configuration of libvosk. All audio must be final.
    func change(to configuration: RecognizerConfiguration) throws(SpeechError)

    /// The position of the first sound whose text is not decided; nil if there is none.
    var undecidedStart: Int64? { get }

    /// Adds a waiter, which is resumed at the next decision.
    func addWaiter(_ waiter: CheckedContinuation<Void, Never>)

    /// Gives up what is not decided, and resumes those who wait.
    func abandon()

    /// Gives back what others can use. The recognition can't be used after that.
    func retire()
}

/// A recognition that decides each text before it takes more sound.
extension StreamRecognition {
    func change(to configuration: RecognizerConfiguration) {}
    var undecidedStart: Int64? { nil }
    func addWaiter(_ waiter: CheckedContinuation<Void, Never>) { waiter.resume() }
    func abandon() {}
}

extension StreamClock {
    /// Records that samples are delivered, at a position or directly after the last ones.
    ///
    /// - Returns: the number of samples that are missing before them.
    /// - Throws: `.audioDisordered` if they begin before the end of the last ones.
    func gap(before position: Int64?) throws(SpeechError) -> Int64 {
        let gap = (position ?? nextPosition) - nextPosition
        if gap >= 0 { return gap }
        throw SpeechError(
            .audioDisordered,
            "audio came out of order: it begins at sample \(position ?? 0), but the audio before it ends at sample \(nextPosition)"
        )
    }
}
