import Audio

/// Coordinates an analysis of speech: takes audio in, hands it to its modules, and ends them.
///
/// The results belong to the modules. A whole program:
///
/// ```swift
/// let transcriber = SpeechTranscriber(locale: Locale(identifier: "en-US"), preset: .progressiveTranscription)
/// let analyzer = SpeechAnalyzer(modules: [transcriber])
/// let printing = Task {
///     for try await result in transcriber.results where result.isFinal { print(String(result.text.characters)) }
/// }
/// try await analyzer.start(inputAudioFile: AudioFile(path: "memo.wav"))
/// try await analyzer.finalizeAndFinishThroughEndOfInput()
/// try await printing.value
/// ```
///
/// The end of the input does not end the session: more input may follow. Only a finish method ends it, and the modules'
/// results with it; then the analyzer and its modules take nothing more. An analyzer that is dropped unfinished ends as if
/// by `cancelAndFinishNow()`.
///
/// The names and their meaning are those of Apple's `SpeechAnalyzer` (iOS 26). Left out: `finish(after:)`,
/// `cancelAnalysis(before:)` and `setModules(_:)`. Cancelling a task that waits for a finish ends the wait for input, not
/// the session's text: what has been read until then is still made final.
public final actor SpeechAnalyzer {
    public typealias VolatileRangeChangedHandler =
        @Sendable (_ range: AudioTimeRange?, _ startChanged: Bool, _ endChanged: Bool) -> Void

    public nonisolated let modules: [any SpeechModule]
    private nonisolated let session: AnalysisSession

    /// An analyzer for modules, which it alone uses from now on.
    ///
    /// - Precondition: the modules are of this package.
    public init(modules: [any SpeechModule]) {
        self.modules = modules
        session = AnalysisSession(
            modules: modules.map { module in
                guard let module = module as? any AnalyzerModule else {
                    preconditionFailure("\(type(of: module)) is not a module that an analyzer knows")
                }
                return module
            })
    }

    /// An analyzer that reads `inputSequence` from the start.
    public init<Inputs: AsyncSequence & Sendable>(
        inputSequence: Inputs, modules: [any SpeechModule], analysisContext: AnalysisContext = AnalysisContext(),
        volatileRangeChangedHandler: VolatileRangeChangedHandler? = nil
    ) async throws where Inputs.Element == AnalyzerInput {
        self.init(modules: modules)
        session.setVolatileRangeChangedHandler(volatileRangeChangedHandler)
        try await session.setContext(analysisContext)
        try session.startReading(inputSequence)
    }

    deinit { session.abandon() }

    /// What was given to the modules and is not final yet; `nil` when there is nothing of the kind.
    public var volatileRange: AudioTimeRange? { session.volatileRange }

    /// Calls `handler` whenever `volatileRange` changes, on any thread.
    public func setVolatileRangeChangedHandler(_ handler: VolatileRangeChangedHandler?) {
        session.setVolatileRangeChangedHandler(handler)
    }

    public var context: AnalysisContext { session.context }

    /// Tells the modules what to expect. What was heard before is made final first.
    ///
    /// - Throws: `SpeechError` `.vocabularyNotSupported` when a model takes no vocabulary, or knows none of the words.
    public func setContext(_ context: AnalysisContext) async throws {
        try await session.setContext(context)
    }

    /// Loads the modules' models and decodes a little silence with them, so that the first words meet no wait.
    ///
    /// - Throws: `SpeechError` when a model is missing or broken.
    public func prepareToAnalyze() async throws {
        try await session.prepare(warm: true)
    }

    /// Reads `inputSequence` from now on and returns at once. A sequence that is being read is given up; what was read of
    /// it stays.
    ///
    /// What goes wrong while reading is thrown by the finish method. The sequence's own code runs on the thread of the first
    /// module's engine: where it has to wait it must suspend, not block.
    ///
    /// - Throws: `SpeechError` `.finished` after a finish; `.moduleInUse` when a module works for another analyzer.
    public func start<Inputs: AsyncSequence & Sendable>(inputSequence: Inputs) async throws
    where Inputs.Element == AnalyzerInput {
        try session.startReading(inputSequence)
    }

    /// Reads a file from now on and returns at once.
    ///
    /// - Parameter finishAfterFile: whether the end of the file finishes the session as
    ///   `finalizeAndFinishThroughEndOfInput()` does.
    public func start(inputAudioFile file: AudioFile, finishAfterFile: Bool = false) async throws {
        try session.startReading(file.inputs)
        if finishAfterFile {
            Task { [session] in try await session.finish(after: .toItsEnd) }
        }
    }

    /// Reads `inputSequence` and returns once it has ended and all of it has been decoded; what the last pause left open is
    /// not final then.
    ///
    /// - Returns: the time of the end of the input; `nil` when there was none.
    /// - Throws: what the sequence or a module throws; `CancellationError` when the task is cancelled, which ends the reading
    ///   and keeps what was read.
    public func analyzeSequence<Inputs: AsyncSequence & Sendable>(_ inputSequence: Inputs) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        try await session.readToEnd(inputSequence)
    }

    /// Reads a file to its end, as `analyzeSequence(_:)` does.
    public func analyzeSequence(from file: AudioFile) async throws -> AudioTime? {
        try await session.readToEnd(file.inputs)
    }

    /// Makes what has been read final, and returns when the results are out.
    ///
    /// - Parameter time: waits until input up to this time has been read, or the input has ended; `nil` waits for nothing.
    public func finalize(through time: AudioTime? = nil) async throws {
        try await session.finalize(through: time)
    }

    /// Waits for input up to `time`, makes what was read final and ends the session.
    ///
    /// - Parameter time: `nil` waits for nothing.
    public func finalizeAndFinish(through time: AudioTime? = nil) async throws {
        try await session.finish(after: time.map { .through($0) } ?? .none)
    }

    /// Waits for the end of the input, makes all of it final and ends the session. On return the last final result is in the
    /// module's results, which end behind it.
    ///
    /// Before any start there is no input to wait for. A second finish waits for the first and has its outcome.
    ///
    /// - Throws: what went wrong while reading or in a module. What could be made final has been, all the same.
    public func finalizeAndFinishThroughEndOfInput() async throws {
        try await session.finish(after: .toItsEnd)
    }

    /// Ends the session now. Results that nobody has taken yet are dropped, nothing more is delivered, and everything native
    /// is freed on return, but for a model that is still being loaded: it is freed once it is there.
    public func cancelAndFinishNow() async {
        await session.cancelAndFinish()
    }

    /// The format that needs no conversion on its way to the modules; `nil` while a model is not installed.
    public static func bestAvailableAudioFormat(compatibleWith modules: [any SpeechModule]) async -> AudioFormat? {
        var common: [AudioFormat]?
        for module in modules {
            let formats = await module.availableCompatibleAudioFormats
            common = common.map { $0.filter(formats.contains) } ?? formats
        }
        return common?.first
    }
}
