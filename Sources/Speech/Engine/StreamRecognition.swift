import Models

/// The recognition of one stream, for one thread at a time. It counts samples at its own rate.
protocol StreamRecognition: AnyObject {
    /// Knows where the samples are in the stream.
    var clock: StreamClock { get }
    /// The account of the samples so far.
    var ledger: SampleLedger { get }
    /// The range of the stream that was delivered and is not final yet.
    var volatileRange: Range<Int64> { get }

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

    /// Gives up what is not decided.
    func abandon()

    /// Gives back what others can use. The recognition can't be used after that.
    func retire()
}

/// A recognition that decides each text before it takes more sound.
extension StreamRecognition {
    var ledger: SampleLedger { clock.ledger }
    var volatileRange: Range<Int64> { clock.volatileRange }
    func change(to configuration: RecognizerConfiguration) {}
    var undecidedStart: Int64? { nil }
    func abandon() {}
    func retire() {}
}
