import Dispatch
import Models
import Synchronization

/// Recognizes recorded speech on several cores: at long pauses it cuts the stream into stretches, which are decoded side by side, each
/// by a `RecognitionPipeline` of its own, and reports their utterances in order. The cuts depend on the samples alone, so the text is
/// the same for any number of stretches at a time. For the actor that feeds it.
final class StretchRecognition: StreamRecognition {
    private let engine: any SpeechEngine
    private var configuration: RecognizerConfiguration
    private let settings: RecognitionPipeline.Settings
    private let width: Int
    private let emit: (Utterance) -> Void
    /// Whether nothing more is wanted; called between two blocks, on any thread.
    private let isCancelled: @Sendable () -> Bool
    /// Lets the actor call `advance()`.
    private let wake: @Sendable () -> Void

    private(set) var clock = StreamClock()
    /// Finds the pauses; nil if the detector can't hear the stream, which then is one stretch.
    private var activity: SpeechActivity?
    /// The samples that may still belong to the next stretch, and the number of those before.
    private var held: [Int16] = []
    private var fed: Int64 = 0
    /// The stretches that are not reported to their end. If `isOpen`, the last one goes on.
    private var stretches: [Stretch] = []
    private var isOpen = false
    /// The speech before the last stretch.
    private var earlierSpeech: Int64 = 0
    private var reported = SampleLedger()
    /// The account of what is reported of the first stretch, and the position where the rest begins.
    private var first = (ledger: SampleLedger(), end: Int64(0))

    /// The least speech in a stretch, in seconds. A recognizer hears the first words worse than later ones.
    private static let leastSpeech = 30.0
    /// The shortest pause that is a cut, in seconds, and what the next stretch has of it.
    private static let (pause, lead) = (1.0, 0.5)
    /// The length of the frames for which an acoustic model computes once, in seconds: three of 10 ms.
    private static let frames = 0.03
    /// The sound that may wait for each stretch that is decoded at a time, in seconds.
    private static let longestWaiting = 120.0

    /// - Parameters:
    ///   - width: the most stretches to decode at a time.
    ///   - isCancelled: whether nothing more is wanted; called on any thread, between two blocks.
    ///   - wake: called on any thread when `advance()` has something to report.
    init(
        engine: any SpeechEngine, configuration: RecognizerConfiguration, settings: RecognitionPipeline.Settings,
        width: Int,
        emit: @escaping (Utterance) -> Void, isCancelled: @escaping @Sendable () -> Bool,
        wake: @escaping @Sendable () -> Void
    ) throws(SpeechError) {
        self.engine = engine
        self.configuration = configuration
        self.settings = settings
        self.width = max(1, width)
        self.emit = emit
        self.isCancelled = isCancelled
        self.wake = wake
        activity = SpeechActivity(sampleRate: engine.sampleRate)
        try change(to: configuration)
    }

    deinit { abandon() }

    var ledger: SampleLedger {
        var ledger = clock.ledger
        ledger.transcribed = reported.transcribed + first.ledger.transcribed
        ledger.silent = reported.silent + first.ledger.silent
        return ledger
    }

    var undecidedStart: Int64? {
        if !stretches.isEmpty { return first.end }
        return held.isEmpty ? nil : heldStart
    }
    var volatileRange: Range<Int64> { (undecidedStart ?? clock.nextPosition)..<clock.nextPosition }

    var isFull: Bool {
        stretches.reduce(0) { $0 + $1.waitingCount } > width * samples(Self.longestWaiting)
    }

    func append(_ samples: UnsafeBufferPointer<Int16>, at position: Int64?) throws(SpeechError) {
        let gap = try clock.gap(before: position)
        if gap > 0 { feed(held.count) }
        clock.deliver(samples.count, after: gap)
        var rest = samples[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(activity?.untilJudgement ?? rest.count))
            activity?.hear(part)
            held += part
            rest = rest.dropFirst(part.count)
            if isCutDue {
                // A recognizer's frames begin where those of one for the whole stream would.
                let lead = self.samples(Self.lead)
                let cut = fed + Int64(held.count - lead)
                feed(held.count - lead - Int(cut % Int64(self.samples(Self.frames))))
                close()
            }
        }
        // A cut lies up to one frame before the lead.
        feed(held.count - self.samples(Self.lead) - self.samples(Self.frames))
    }

    func finalize() throws(SpeechError) {
        feed(held.count)
        close()
    }

    func change(to configuration: RecognizerConfiguration) throws(SpeechError) {
        // What is wrong with it shows before the next sound.
        engine.keep(try engine.makeRecognizer(configuration))
        self.configuration = configuration
    }

    func abandon() {
        // All are told first, so that they end beside each other.
        for stretch in stretches { stretch.stop() }
        for stretch in stretches { stretch.abandon() }
        stretches = []
        (held, isOpen) = ([], false)
    }

    /// Reports what was decoded since the last call.
    ///
    /// - Throws: the error of the engine, after what was decoded before it.
    func advance() throws(SpeechError) {
        while let stretch = stretches.first {
            let news = stretch.takeNews()
            for utterance in news.utterances { emit(utterance) }
            first = (news.ledger, news.end)
            if let failure = news.failure {
                abandon()
                throw failure
            }
            guard news.isDone else { break }
            stretches.removeFirst()
            reported = ledger
            first.ledger = SampleLedger()
        }
        begin()
    }

    /// Whether the last stretch holds enough speech, and a long pause follows. A pause that an utterance may contain is none.
    private var isCutDue: Bool {
        guard let activity, isOpen else { return false }
        let pause = max(Self.pause, configuration.endpointing.trailingSilence.map { $0 + 1 } ?? 0)
        return activity.silence >= Int64(samples(pause))
            && activity.speech - earlierSpeech >= Int64(samples(Self.leastSpeech))
    }

    /// Passes the first held samples to the last stretch, or to a new one.
    private func feed(_ count: Int) {
        guard count > 0 else { return }
        if !isOpen {
            if stretches.isEmpty { first.end = heldStart }
            stretches.append(
                Stretch(
                    engine: engine, configuration: configuration, settings: settings, start: heldStart,
                    isCancelled: isCancelled, report: wake))
            isOpen = true
            begin()
        }
        stretches[stretches.count - 1].append(Array(held.prefix(count)), at: heldStart)
        held.removeFirst(count)
        fed += Int64(count)
        clock.forget(beforeDelivered: fed)
    }

    /// The position of the first held sample.
    private var heldStart: Int64 { clock.position(ofDelivered: fed) }

    /// Ends the last stretch.
    private func close() {
        if isOpen { stretches[stretches.count - 1].finish() }
        isOpen = false
        earlierSpeech = activity?.speech ?? 0
    }

    /// Begins as many stretches as are to be decoded at a time.
    private func begin() {
        for stretch in stretches.filter({ !$0.isDone }).prefix(width) { stretch.begin() }
    }

    private func samples(_ seconds: Double) -> Int { Int(seconds * Double(engine.sampleRate)) }
}

/// A stretch of a stream, which is decoded on a thread of its own.
private final class Stretch: Sendable {
    /// What has been decoded.
    struct News {
        var utterances: [Utterance] = []
        var ledger = SampleLedger()
        /// The position of the first sample that is not final.
        var end: Int64
        var isDone = false
        var failure: SpeechError?
    }

    private let engine: any SpeechEngine
    private let configuration: RecognizerConfiguration
    private let settings: RecognitionPipeline.Settings
    private let isCancelled: @Sendable () -> Bool
    private let report: @Sendable () -> Void
    private let queue = DispatchQueue(label: "utter.stretch", attributes: .initiallyInactive)
    private let news: Mutex<News>
    private let waiting = Atomic(0)
    private let isAbandoned = Atomic(false)
    // Used on the queue only.
    nonisolated(unsafe) private var pipeline: RecognitionPipeline?

    init(
        engine: any SpeechEngine, configuration: RecognizerConfiguration, settings: RecognitionPipeline.Settings,
        start: Int64, isCancelled: @escaping @Sendable () -> Bool, report: @escaping @Sendable () -> Void
    ) {
        (self.engine, self.configuration, self.settings) = (engine, configuration, settings)
        (self.isCancelled, self.report) = (isCancelled, report)
        news = Mutex(News(end: start))
    }

    /// The number of samples that are not decoded.
    var waitingCount: Int { waiting.load(ordering: .relaxed) }
    var isDone: Bool { news.withLock { $0.isDone } }

    /// Begins to decode, if it has not begun.
    func begin() { queue.activate() }

    func append(_ samples: [Int16], at position: Int64) {
        waiting.add(samples.count, ordering: .relaxed)
        perform { stretch throws(SpeechError) in
            let pipeline = try stretch.startedPipeline()
            try samples.withUnsafeBufferPointer { samples throws(SpeechError) in
                try pipeline.append(samples, at: position)
            }
            stretch.waiting.subtract(samples.count, ordering: .relaxed)
        }
    }

    /// Lets the stretch end after the samples so far.
    func finish() {
        perform(isLast: true) { stretch throws(SpeechError) in try stretch.pipeline?.finalize() }
    }

    /// Returns what has been decoded, with the utterances since the last call.
    func takeNews() -> News {
        news.withLock { news in
            defer { news.utterances = [] }
            return news
        }
    }

    /// Asks the decoding to end.
    func stop() { isAbandoned.store(true, ordering: .relaxed) }

    /// Ends the decoding, and returns when everything is freed.
    func abandon() {
        stop()
        // A queue that was never active can't be freed.
        queue.activate()
        queue.sync { pipeline = nil }
    }

    private func startedPipeline() throws(SpeechError) -> RecognitionPipeline {
        if let pipeline { return pipeline }
        let pipeline = try RecognitionPipeline(engine: engine, configuration: configuration, settings: settings) {
            [unowned self] utterance in news.withLock { $0.utterances.append(utterance) }
        }
        self.pipeline = pipeline
        return pipeline
    }

    private func perform(isLast: Bool = false, _ work: @escaping @Sendable (Stretch) throws(SpeechError) -> Void) {
        queue.async { [self] in
            if isCancelled() || isAbandoned.load(ordering: .relaxed) { return }
            var failure: SpeechError?
            do throws(SpeechError) { try work(self) } catch { failure = error }
            let (ledger, end) = (pipeline?.ledger ?? SampleLedger(), pipeline?.volatileRange.lowerBound)
            if isLast || failure != nil {
                pipeline = nil
                isAbandoned.store(true, ordering: .relaxed)
            }
            news.withLock { news in
                (news.ledger, news.end) = (ledger, end ?? news.end)
                (news.failure, news.isDone) = (failure, isLast)
            }
            report()
        }
    }
}
