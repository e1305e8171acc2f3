import Audio
import Synchronization

/// Coordinates an analysis of speech: it takes audio, passes it to its modules, and finishes them.
///
/// The results belong to the modules. A complete program:
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
/// The end of the input does not end the session: more input may follow. Only a finish method ends it, and with it the
/// results of the modules; the analyzer and its modules take no input after that. Releasing an analyzer before it has
/// finished ends it as `cancelAndFinishNow()` does. One that finishes after a file (`finishAfterFile`) is held until then.
///
/// The names and their meaning are those of Apple's `SpeechAnalyzer` (iOS 26). Cancelling a task that waits for a finish ends the wait for
/// input, unless another task waits for it too; the audio that was read until then is still finalized. The cancelled task gets a
/// `CancellationError` if there may have been more.
public final actor SpeechAnalyzer {
    /// A handler of changes to `volatileRange`: the new range, and whether its start and its end have changed.
    public typealias VolatileRangeChangedHandler =
        @Sendable (_ range: AudioTimeRange?, _ startChanged: Bool, _ endChanged: Bool) -> Void

    /// The modules of this analyzer.
    public nonisolated var modules: [any SpeechModule] { currentModules.withLock { $0 } }
    private nonisolated let currentModules: Mutex<[any SpeechModule]>
    private nonisolated let session: AnalysisSession

    /// Creates an analyzer of `modules`, which only this analyzer may use. It takes modules of this package; with any other, every
    /// method that takes input throws `SpeechError` `.foreignModule`.
    public init(modules: [any SpeechModule]) {
        currentModules = Mutex(modules)
        Self.setSensitivity(of: modules)
        session = AnalysisSession(
            workers: modules.compactMap { ($0 as? any WorkerModule)?.worker }, refusal: Self.refusal(of: modules))
    }

    /// Has dictations find speech as a detector beside them does.
    private static func setSensitivity(of modules: [any SpeechModule]) {
        guard let detector = modules.lazy.compactMap({ $0 as? SpeechDetector }).first else { return }
        let level = detector.detectionOptions.sensitivityLevel
        for module in modules { (module as? DictationTranscriber)?.worker.sensitivity.withLock { $0 = level } }
    }

    private static func refusal(of modules: [any SpeechModule]) -> SpeechError? {
        modules.first { !($0 is any WorkerModule) }.map {
            SpeechError(.foreignModule, "\(type(of: $0)) is not a module that an analyzer knows")
        }
    }

    /// Replaces the modules. A new one begins with the sound that comes next, at its time in the stream. One that is not among them any
    /// more is finished, with all of its results.
    ///
    /// - Throws: `SpeechError` `.finished` after a finish; `.moduleInUse` if a new module works for another analyzer, or has;
    ///   `.foreignModule`. The modules stay as they were then. If one that goes has failed, its error is thrown, and the new ones work.
    public func setModules(_ newModules: [any SpeechModule]) async throws {
        if let refusal = Self.refusal(of: newModules) { throw refusal }
        Self.setSensitivity(of: newModules)
        try await session.setWorkers(newModules.compactMap { ($0 as? any WorkerModule)?.worker }) {
            currentModules.withLock { $0 = newModules }
        }
    }

    /// Options of an analyzer, which the modules here decide by themselves.
    public struct Options: Equatable, Sendable {
        /// The priority of the analysis. Ignored: the engines have threads of their own.
        public var priority: TaskPriority
        /// How long models stay loaded. Ignored: each transcriber says so of its own model.
        public var modelRetention: ModelRetention

        /// How long models stay loaded.
        public typealias ModelRetention = Speech.ModelRetention

        /// Creates options.
        public init(priority: TaskPriority, modelRetention: ModelRetention) {
            (self.priority, self.modelRetention) = (priority, modelRetention)
        }
    }

    /// Creates an analyzer of `modules`.
    ///
    /// - Parameter options: ignored.
    public init(modules: [any SpeechModule], options: Options?) { self.init(modules: modules) }

    /// Creates an analyzer of `modules`, and starts to read `inputSequence`. Its errors, and those of the context, finish the session:
    /// the finish methods and the results throw them. If a module works for another analyzer, every method that takes input throws.
    ///
    /// - Parameters:
    ///   - inputSequence: the input.
    ///   - modules: the modules, which only this analyzer may use.
    ///   - options: ignored.
    ///   - analysisContext: the phrases to prefer, and the only ones.
    ///   - volatileRangeChangedHandler: called, on any thread, whenever `volatileRange` changes.
    public init<Inputs: AsyncSequence & Sendable>(
        inputSequence: Inputs, modules: [any SpeechModule], options: Options? = nil,
        analysisContext: AnalysisContext = AnalysisContext(),
        volatileRangeChangedHandler: VolatileRangeChangedHandler? = nil
    ) where Inputs.Element == AnalyzerInput {
        self.init(modules: modules, options: options)
        session.setVolatileRangeChangedHandler(volatileRangeChangedHandler)
        // A session that can't claim its modules says so at every later call.
        _ = try? session.startReading(inputSequence, context: analysisContext)
    }

    deinit { session.abandon() }

    /// The range of audio that was passed to the modules and is not final yet; `nil` if there is none.
    public var volatileRange: AudioTimeRange? { session.volatileRange }

    /// Sets the handler that is called, on any thread, whenever `volatileRange` changes; `nil` removes it.
    public func setVolatileRangeChangedHandler(_ handler: VolatileRangeChangedHandler?) {
        session.setVolatileRangeChangedHandler(handler)
    }

    /// The context that was set last.
    public var context: AnalysisContext { session.context.copy }

    /// Sets the phrases for the modules to prefer, and the only ones. The audio that was read before is finalized first.
    ///
    /// - Throws: `SpeechError` `.vocabularyNotSupported` if a model accepts no phrases, or knows none of their words, or if a
    ///   `DictationTranscriber`, which takes others only before the first sound, has heard some.
    public func setContext(_ context: AnalysisContext) async throws {
        try await session.setContext(context)
    }

    /// Loads the models of the modules and decodes some silence with them, so that the first words cause no delay.
    ///
    /// - Parameter warmingUp: whether to decode some silence, so that the first words are recognized sooner. The recognizer is made
    ///   in any case, so that a broken model is found.
    /// - Throws: `SpeechError` when a model is missing or broken.
    public func prepareToAnalyze(warmingUp: Bool = true) async throws {
        try await session.prepare(warmingUp ? .warm : .recognizer)
    }

    /// Loads the models of the modules, as `prepareToAnalyze(warmingUp:)` does.
    ///
    /// - Parameter audioFormat: the format that will come. Ignored: every format is taken.
    @_disfavoredOverload
    public func prepareToAnalyze(in audioFormat: AudioFormat?) async throws { try await prepareToAnalyze() }

    /// Starts to read `inputSequence`, and returns at once. A sequence that is being read is abandoned; the audio that
    /// was read from it is kept.
    ///
    /// An error of the sequence or of a module finishes the session: the finish methods and the results throw it. The sequence runs on the thread of the
    /// first module's engine, so where it waits it must suspend, not block.
    ///
    /// - Throws: `SpeechError` `.finished` after a finish; `.moduleInUse` if a module works for another analyzer.
    public func start<Inputs: AsyncSequence & Sendable>(inputSequence: Inputs) async throws
    where Inputs.Element == AnalyzerInput {
        try session.startReading(inputSequence)
    }

    /// Starts to read a file, and returns at once. An error of the file finishes the session: the finish methods and the
    /// results throw it.
    ///
    /// - Parameters:
    ///   - file: the file to read.
    ///   - finishAfterFile: whether the end of the file finishes the session, as `finalizeAndFinishThroughEndOfInput()`
    ///     does. The session then lives until its finish, even if nothing else holds the analyzer.
    /// - Throws: `SpeechError` `.finished` after a finish; `.moduleInUse` if a module works for another analyzer.
    public func start(inputAudioFile file: AudioFile, finishAfterFile: Bool = false) async throws {
        try session.startReading(file.inputs)
        if finishAfterFile {
            Task { try await finalizeAndFinishThroughEndOfInput() }
        }
    }

    /// Reads `inputSequence`, and returns when the modules have taken all of it. Not all of it is final then: the audio after the last
    /// pause is not, and a `DictationTranscriber` may still be decoding what was said before. `finalize(through:)` and the finish
    /// methods wait for that.
    ///
    /// - Returns: the end time of the input; `nil` if there was none.
    /// - Throws: the errors of the sequence and of the modules; `CancellationError` if the task is cancelled, which
    ///   ends the reading and keeps the audio that was read.
    public func analyzeSequence<Inputs: AsyncSequence & Sendable>(_ inputSequence: Inputs) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        try await session.readToEnd(inputSequence)
    }

    /// Reads a file to its end, as `analyzeSequence(_:)` reads a sequence.
    ///
    /// - Returns: the end time of the file; `nil` if it is empty.
    /// - Throws: the errors of the file and of the modules; `CancellationError` if the task is cancelled.
    public func analyzeSequence(from file: AudioFile) async throws -> AudioTime? {
        try await session.readToEnd(file.inputs)
    }

    /// Finalizes the audio that has been read, and returns when its results have been delivered.
    ///
    /// - Parameter time: the time up to which to wait for input, or for its end; `nil` waits for nothing.
    /// - Throws: `SpeechError` `.finished` after a finish, and the errors of the modules; `CancellationError` if the
    ///   task is cancelled.
    public func finalize(through time: AudioTime? = nil) async throws {
        try await session.finalize(through: time)
    }

    /// Leaves out the input that ends before `time` and was not passed to the modules yet, so that a machine which is too slow can catch
    /// up with a speaker. Results of sound that was passed on come nevertheless; sound that is left out between other is `missing` in the
    /// ledger.
    public func cancelAnalysis(before time: AudioTime) { session.skipInput(before: time) }

    /// Waits for input up to `time`, and ends the session. No sound that was read is lost: this is `finalizeAndFinish(through:)`.
    ///
    /// - Throws: the error that ended the input, or of a module.
    public func finish(after time: AudioTime) async throws { try await session.finish(after: .through(time)) }

    /// Waits for input up to `time`, finalizes the audio that was read, and ends the session.
    ///
    /// - Parameter time: the time up to which to wait for input; `nil` waits for nothing.
    /// - Throws: the error that ended the input, or of a module. All that can be finalized is finalized nevertheless.
    public func finalizeAndFinish(through time: AudioTime? = nil) async throws {
        try await session.finish(after: time.map { .through($0) } ?? .none)
    }

    /// Waits for the end of the input, finalizes all of it, and ends the session. On return the results of the modules
    /// contain the last final result, and end after it.
    ///
    /// Before any start there is no input to wait for. A second finish waits for the first and has the same outcome.
    ///
    /// - Throws: the error that ended the input, or of a module. All that can be finalized is finalized nevertheless.
    ///   `CancellationError` if the task was cancelled before the end of the input.
    public func finalizeAndFinishThroughEndOfInput() async throws {
        try await session.finish(after: .toItsEnd)
    }

    /// Ends the session at once. Results that were not read yet are dropped, and no more are delivered. On return all
    /// native resources are freed, except a model that is still loading: that is freed when it has loaded.
    ///
    /// After a finish it drops nothing: the results wait for their reader. So a cleanup may always call it.
    public func cancelAndFinishNow() async {
        await session.cancelAndFinish()
    }

    /// Returns the format that no module has to convert; `nil` if there is none, or if a model is not installed. Any other is
    /// taken as well, and converted.
    ///
    /// - Parameters:
    ///   - modules: the modules.
    ///   - naturalFormat: the format of the source. Ignored.
    @_disfavoredOverload
    public static func bestAvailableAudioFormat(
        compatibleWith modules: [any SpeechModule], considering naturalFormat: AudioFormat? = nil
    ) async -> AudioFormat? {
        var common: [AudioFormat]?
        for module in modules {
            let formats = await module.availableCompatibleAudioFormats
            common = common.map { $0.filter(formats.contains) } ?? formats
        }
        return common?.first
    }
}
