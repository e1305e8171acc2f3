import Synchronization

/// What an analyzer and the task that reads its input share. The analyzer can be dropped while the task still waits for
/// input; the session then ends it.
final class AnalysisSession: Sendable {
    private struct State {
        var progress = AnalysisProgress<CheckedContinuation<Void, Never>>()
        var reader: Task<Void, Never>?
        var finish: Task<Void, any Error>?
        var isAttached = false
        var context = AnalysisContext()
        var volatileRange: AudioTimeRange?
        var volatileRangeChangedHandler: SpeechAnalyzer.VolatileRangeChangedHandler?
    }

    let modules: [any AnalyzerModule]
    private let state = Mutex(State())

    init(modules: [any AnalyzerModule]) { self.modules = modules }

    var volatileRange: AudioTimeRange? { state.withLock { $0.volatileRange } }
    var context: AnalysisContext { state.withLock { $0.context } }

    func setVolatileRangeChangedHandler(_ handler: SpeechAnalyzer.VolatileRangeChangedHandler?) {
        state.withLock { $0.volatileRangeChangedHandler = handler }
    }

    /// Claims the modules, once.
    func attach() throws {
        let isFirst = state.withLock { state in
            defer { state.isAttached = true }
            return !state.isAttached
        }
        if isFirst { for module in modules { try module.attach() } }
    }

    func prepare(warm: Bool) async throws {
        try throwIfFinished()
        try attach()
        for module in modules { try await module.prepare(warm: warm) }
    }

    func setContext(_ context: AnalysisContext) async throws {
        try throwIfFinished()
        state.withLock { $0.context = context }
        for module in modules { try await module.setContext(context) }
    }

    // MARK: Reading

    /// Reads `sequence` in a task of its own, in place of the sequence that is being read.
    func startReading<Inputs: AsyncSequence & Sendable>(_ sequence: Inputs) throws where Inputs.Element == AnalyzerInput {
        try throwIfFinished()
        try attach()
        state.withLock { state in
            let generation = state.progress.beginReading()
            state.reader?.cancel()
            state.reader = Task { [self] in
                do {
                    try await read(sequence, generation: generation)
                    ended(generation: generation, throwing: nil)
                } catch {
                    ended(generation: generation, throwing: error)
                }
            }
        }
    }

    /// Reads `sequence` in the caller's task.
    ///
    /// - Returns: the time of the end of the last input; `nil` when there was none.
    func readToEnd<Inputs: AsyncSequence>(_ sequence: Inputs) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        try throwIfFinished()
        try attach()
        let generation = state.withLock { state in
            state.reader?.cancel()
            state.reader = nil
            return state.progress.beginReading()
        }
        do {
            let last = try await read(sequence, generation: generation)
            ended(generation: generation, throwing: nil)
            return last
        } catch {
            ended(generation: generation, throwing: error)
            throw error
        }
    }

    @discardableResult
    private func read<Inputs: AsyncSequence>(_ sequence: Inputs, generation: Int) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        // Models load while the first audio comes in.
        let loading = Task { for module in modules { try await module.prepare(warm: false) } }
        defer { loading.cancel() }
        var last: AudioTime?
        for try await input in sequence {
            guard state.withLock({ $0.progress.isCurrent(generation) }) else { break }
            for module in modules {
                let range = try await module.consume(input)
                last = range.upperBound
                consumed(range)
            }
        }
        try Task.checkCancellation()
        return last
    }

    private func consumed(_ range: AudioTimeRange) {
        let resumed = state.withLock { $0.progress.consumed(through: range.upperBound) }
        for continuation in resumed { continuation.resume() }
        setVolatileRange(range)
    }

    private func setVolatileRange(_ range: AudioTimeRange) {
        let range: AudioTimeRange? = range.isEmpty ? nil : range
        let change = state.withLock { state -> (SpeechAnalyzer.VolatileRangeChangedHandler, Bool, Bool)? in
            let previous = state.volatileRange
            state.volatileRange = range
            guard previous != range, let handler = state.volatileRangeChangedHandler else { return nil }
            return (handler, previous?.lowerBound != range?.lowerBound, previous?.upperBound != range?.upperBound)
        }
        if let (handler, startChanged, endChanged) = change { handler(range, startChanged, endChanged) }
    }

    private func ended(generation: Int, throwing error: (any Error)?) {
        let resumed = state.withLock { state in
            if state.progress.isCurrent(generation) { state.reader = nil }
            return state.progress.endedReading(generation: generation, throwing: error)
        }
        for continuation in resumed { continuation.resume() }
    }

    /// Waits until the input up to `time`, or to its end when `nil`, is consumed, or will never come. When the waiting task is
    /// cancelled, reading stops instead.
    private func waitForInput(through time: AudioTime?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if state.withLock({ !$0.progress.wait(continuation, through: time) }) { continuation.resume() }
            }
        } onCancel: {
            stopReading()
        }
    }

    /// What was read stays; nothing more is.
    private func stopReading() {
        let (reader, resumed) = state.withLock { state in
            defer { state.reader = nil }
            return (state.reader, state.progress.stopReading())
        }
        reader?.cancel()
        for continuation in resumed { continuation.resume() }
    }

    // MARK: Finishing

    func finalize(through time: AudioTime?) async throws {
        try throwIfFinished()
        if let time { await waitForInput(through: time) }
        try throwIfFinished()
        for module in modules {
            try await module.finalize()
            setVolatileRange(await module.volatileRange)
        }
    }

    /// Finishes, once: whoever asks again waits for the same end and gets the same outcome.
    ///
    /// - Parameter wait: whether to wait for input, and for how much: `nil` for all there will be.
    func finish(afterInputThrough wait: AudioTime??) async throws {
        let finish = state.withLock { state -> Task<Void, any Error> in
            if let finish = state.finish { return finish }
            let finish = Task { [self] in try await performFinish(afterInputThrough: wait) }
            state.finish = finish
            return finish
        }
        try await withTaskCancellationHandler {
            try await finish.value
        } onCancel: {
            stopReading()
        }
    }

    private func performFinish(afterInputThrough wait: AudioTime??) async throws {
        if let wait { await waitForInput(through: wait) }
        stopReading()
        try attach()
        var failure = state.withLock { $0.progress.failure }
        for module in modules {
            do { try await module.finish() } catch { failure = failure ?? error }
        }
        end()
        if let failure { throw failure }
    }

    func cancelAndFinish() async {
        abandon()
        for module in modules { await module.waitUntilCancelled() }
    }

    /// Ends everything now, without waiting.
    func abandon() {
        end()
        stopReading()
        for module in modules { module.cancel() }
    }

    private func end() {
        state.withLock { state in
            state.progress.finish()
            state.volatileRange = nil
            state.volatileRangeChangedHandler = nil
        }
    }

    private func throwIfFinished() throws {
        let isOver = state.withLock { $0.progress.isFinished || $0.finish != nil }
        if isOver { throw SpeechError(.finished, "the analyzer has finished; a new session needs a new analyzer and modules") }
    }
}
