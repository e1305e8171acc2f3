import Models
import Synchronization

/// The state that an analyzer shares with the task that reads its input. The analyzer may be released while the task
/// still waits for input; the session then ends the task.
final class AnalysisSession: Sendable {
    /// The input that a finish waits for.
    enum AwaitedInput {
        case none
        case through(AudioTime)
        case toItsEnd
    }

    private struct State {
        /// Those that work for the modules; once one is refused, only those that were claimed before.
        var workers: [TranscriptionWorker]
        /// Whether the workers are claimed by this session.
        var isAttached = false
        /// Why the session takes nothing; nil if it does.
        var refusal: (any Error)?
        var inputEnd = AudioTime.zero
        /// Whether some worker has not had all of the input so far, so that the next is passed on with its time.
        var hasGap = false
        /// The time before which input is not passed on.
        var analysisStart: AudioTime?
        var progress = AnalysisProgress<CheckedContinuation<Void, Never>>()
        var reader: Task<AudioTime?, any Error>?
        var finish: Task<Void, any Error>?
        /// The input that the finish waits for.
        var finishInput = AwaitedInput.none
        /// The number of tasks that wait for the finish.
        var finisherCount = 0
        var context = AnalysisContext()
        var volatileRange: AudioTimeRange?
        var volatileRangeChangedHandler: SpeechAnalyzer.VolatileRangeChangedHandler?

        /// Whether the finish waits for input that may still come.
        var finishAwaitsInput: Bool {
            switch finishInput {
            case .none: false
            case .through(let time): progress.isAwaited(through: time)
            case .toItsEnd: progress.isAwaited(through: nil)
            }
        }
    }

    private let state: Mutex<State>
    /// Serializes the inputs: one reaches every module, or a finalization ends in every module, before the next begins.
    /// Without it, inputs that wait for a model could overtake each other, or arrive too late for the finish.
    private let turns = AsyncTurns()

    /// - Parameter refusal: why the session takes nothing; nil if it does.
    init(workers: [TranscriptionWorker], refusal: SpeechError? = nil) {
        state = Mutex(State(workers: refusal == nil ? workers : [], refusal: refusal))
    }

    private var workers: [TranscriptionWorker] { state.withLock { $0.workers } }
    var volatileRange: AudioTimeRange? { state.withLock { $0.volatileRange } }
    var context: AnalysisContext { state.withLock { $0.context } }
    /// The number of tasks that wait for input.
    var waiterCount: Int { state.withLock { $0.progress.waiterCount } }
    /// The number of tasks that wait for the finish.
    var finisherCount: Int { state.withLock { $0.finisherCount } }

    func setVolatileRangeChangedHandler(_ handler: SpeechAnalyzer.VolatileRangeChangedHandler?) {
        state.withLock { $0.volatileRangeChangedHandler = handler }
    }

    /// Claims the workers, once. Throws at every call if one of them works for another analyzer.
    private func attach() throws {
        try state.withLock { state in
            if !state.isAttached {
                state.isAttached = true
                for (index, worker) in state.workers.enumerated() {
                    do { try worker.attach() } catch {
                        (state.workers, state.refusal) = (Array(state.workers[..<index]), error)
                        break
                    }
                }
            }
            if let refusal = state.refusal { throw refusal }
        }
    }

    /// The workers that this session has claimed.
    private var ownWorkers: [TranscriptionWorker] {
        try? attach()
        return workers
    }

    /// The executor on which input is read: that of the first worker, which saves two thread changes for each input.
    private static func executor(_ state: borrowing State) -> (any TaskExecutor)? { state.workers.first?.tasks }

    private func inTurn<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await turns.take()
        defer { turns.giveBack() }
        return try await body()
    }

    /// Throws `CancellationError` if the task is cancelled before its turn, which may be long in coming: a model loads, or a file
    /// waits for one.
    private func inTurnUnlessCancelled<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await turns.takeUnlessCancelled()
        defer { turns.giveBack() }
        return try await body()
    }

    func prepare(_ extent: Preparation) async throws {
        try throwIfFinished()
        try attach()
        for worker in workers { try await worker.prepare(extent) }
    }

    func setContext(_ context: AnalysisContext) async throws {
        let context = context.copy
        try throwIfFinished()
        try await take(context)
    }

    private func take(_ context: AnalysisContext) async throws {
        try attach()
        try await inTurn {
            for worker in workers { try await worker.setContext(context) }
            state.withLock { $0.context = context }
        }
    }

    /// Replaces the workers between two inputs. Those that go are finished.
    ///
    /// - Parameter replaced: called when the new workers are there.
    /// - Throws: when a new worker can't be claimed, and nothing changes; or the first error of one that goes.
    func setWorkers(_ new: [TranscriptionWorker], replaced: @Sendable () -> Void) async throws {
        try throwIfFinished()
        try attach()
        try await inTurn {
            try throwIfFinished()
            let old = workers
            let added = new.filter { worker in !old.contains { $0 === worker } }
            try await claim(added)
            state.withLock { state in
                state.workers = new
                state.hasGap = state.hasGap || !added.isEmpty
            }
            var failure: (any Error)?
            for worker in old where !new.contains(where: { $0 === worker }) {
                do { try await worker.finish(inputFailure: nil) } catch { failure = failure ?? error }
            }
            await updateVolatileRange()
            replaced()
            if let failure { throw failure }
        }
    }

    /// Claims all of `added`, or none.
    private func claim(_ added: [TranscriptionWorker]) async throws {
        var claimed: [TranscriptionWorker] = []
        do {
            for worker in added {
                try worker.attach()
                claimed.append(worker)
            }
            for worker in added { try await worker.setContext(context) }
        } catch {
            for worker in claimed {
                worker.cancel()
                await worker.release()
            }
            throw error
        }
    }

    /// From now on passes no input on that ends before `time`.
    func skipInput(before time: AudioTime) {
        state.withLock { $0.analysisStart = max($0.analysisStart ?? time, time) }
    }

    // MARK: Reading

    /// Reads `sequence` in a new task, instead of the sequence that is being read.
    ///
    /// - Parameter context: the context to set first.
    /// - Returns: the task, whose value is the end time of the last input; `nil` if there was none.
    @discardableResult
    func startReading<Inputs: AsyncSequence & Sendable>(
        _ sequence: Inputs, context: AnalysisContext? = nil
    ) throws -> Task<AudioTime?, any Error> where Inputs.Element == AnalyzerInput {
        try attach()
        let context = context?.copy
        return try state.withLock { state in
            try Self.throwIfFinished(state)
            let generation = state.progress.beginReading()
            state.reader?.cancel()
            let reader = Task(executorPreference: Self.executor(state)) { [self] in
                do {
                    if let context { try await take(context) }
                    let last = try await read(sequence, generation: generation)
                    ended(generation: generation, throwing: nil)
                    return last
                } catch {
                    ended(generation: generation, throwing: error)
                    throw error
                }
            }
            state.reader = reader
            return reader
        }
    }

    /// Reads `sequence`, and returns at its end, or when another sequence replaces it or the session ends.
    ///
    /// - Returns: the end time of the last input; `nil` if there was none.
    func readToEnd<Inputs: AsyncSequence & Sendable>(_ sequence: Inputs) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        let reader = try startReading(sequence)
        return try await withTaskCancellationHandler {
            defer { if Task.isCancelled { reader.cancel() } }
            return try await reader.value
        } onCancel: {
            reader.cancel()
        }
    }

    private func read<Inputs: AsyncSequence>(_ sequence: Inputs, generation: Int) async throws -> AudioTime?
    where Inputs.Element == AnalyzerInput {
        // Models load while the first audio comes in.
        let loading = Task(executorPreference: state.withLock { Self.executor($0) }) { [self] in
            for worker in workers { try await worker.prepare(.model) }
        }
        defer { loading.cancel() }
        var last: AudioTime?
        var inputs = sequence.makeAsyncIterator()
        var asks = true
        while asks, let input = try await inputs.next() {
            // A stream ends, and its producer learns of it, when a cancelled reader asks for more. Others give input as long as they are
            // asked, such as a file.
            asks = !Task.isCancelled
            let range = try await inTurn {
                guard isCurrent(generation) else { return nil as AudioTimeRange? }
                return try await pass(input)
            }
            if let range {
                last = range.upperBound
                consumed(through: range.upperBound)
            }
        }
        // A reader that was replaced, or ended by a finish, did not fail.
        if isCurrent(generation) { try Task.checkCancellation() }
        return last
    }

    private func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.progress.isCurrent(generation) } }

    /// Passes `input` to all modules, unless it is to be skipped.
    ///
    /// - Returns: a range that ends with the input.
    private func pass(_ input: AnalyzerInput) async throws -> AudioTimeRange {
        let rate = input.buffer.sampleRate
        // The modules say what is wrong with such a rate.
        if rate <= 0 { return try await consume(input) }
        let length = AudioTime(sampleCount: Int64(input.buffer.samples.count), sampleRate: rate)
        let (range, isSkipped, hasGap) = state.withLock { state in
            let range = AudioTimeRange(start: input.bufferStartTime ?? state.inputEnd, duration: length)
            state.inputEnd = range.end
            let isSkipped = state.analysisStart.map { range.end <= $0 } ?? false
            defer { state.hasGap = isSkipped }
            return (range, isSkipped, state.hasGap)
        }
        if isSkipped { return range }
        let volatileRange = try await consume(
            hasGap ? AnalyzerInput(buffer: input.buffer, bufferStartTime: range.start) : input)
        setVolatileRange(volatileRange)
        return volatileRange
    }

    /// Passes `input` to all modules.
    ///
    /// - Returns: the range that is not final yet in at least one module.
    private func consume(_ input: AnalyzerInput) async throws -> AudioTimeRange {
        var union: AudioTimeRange?
        for worker in workers {
            let range = try await worker.consume(input)
            union = Self.union(union, range)
        }
        return union ?? .zero ..< .zero
    }

    private static func union(_ range: AudioTimeRange?, _ other: AudioTimeRange) -> AudioTimeRange {
        range.map { min($0.lowerBound, other.lowerBound)..<max($0.upperBound, other.upperBound) } ?? other
    }

    private func consumed(through time: AudioTime) {
        let resumed = state.withLock { $0.progress.consumed(through: time) }
        for continuation in resumed { continuation.resume() }
    }

    private func updateVolatileRange() async {
        var union: AudioTimeRange?
        for worker in workers {
            let range = await worker.volatileRange
            if !range.isEmpty { union = Self.union(union, range) }
        }
        setVolatileRange(union ?? .zero ..< .zero)
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
        let (resumed, hasFailed) = state.withLock { state in
            if state.progress.isCurrent(generation) { state.reader = nil }
            return (
                state.progress.endedReading(generation: generation, throwing: error), state.progress.failure != nil
            )
        }
        for continuation in resumed { continuation.resume() }
        // Whoever waits for results learns of it, too.
        if hasFailed { state.withLock { _ = beginFinish(after: .none, &$0) } }
    }

    /// Waits until the input up to `time`, or to its end if `time` is `nil`, is consumed, or until it can't come any
    /// more. Also returns when the waiting task is cancelled.
    private func waitForInput(through time: AudioTime?) async {
        let id = state.withLock { $0.progress.nextWaiterID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A later cancellation finds the waiter.
                let waits = state.withLock {
                    !Task.isCancelled && $0.progress.wait(continuation, id: id, through: time)
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.progress.cancelWaiter(id: id) }?.resume()
        }
    }

    /// Stops reading. The input that was read is kept.
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
        let finalized = try await inTurnUnlessCancelled {
            // A finish that was called meanwhile makes the same sound final.
            try state.withLock { if $0.finish == nil { try Self.throwIfFinished($0) } }
            var finalized: [(worker: TranscriptionWorker, end: Int64)] = []
            for worker in ownWorkers { finalized.append((worker, try await worker.finalize())) }
            await updateVolatileRange()
            return finalized
        }
        // Outside the turn, so that the speaker is heard meanwhile.
        for (worker, end) in finalized { try await worker.waitUntilDecided(before: end) }
        await inTurn {
            if !state.withLock({ $0.progress.isFinished }) { await updateVolatileRange() }
        }
    }

    /// Finishes the session once. Another call waits for the same finish, and has the same outcome.
    ///
    /// A task that is cancelled while the finish waits for input leaves the rest of it to the others that wait. If there are none, the
    /// input ends here, and what was read is made final.
    ///
    /// - Parameter input: the input to wait for first.
    /// - Throws: the error that ended the input, or of a module; `CancellationError` if the task was cancelled before the input came.
    func finish(after input: AwaitedInput) async throws {
        let finish = state.withLock { state in
            state.finisherCount += 1
            return beginFinish(after: input, &state)
        }
        // A stream ends when the task that reads it is cancelled, which a task's value does not.
        let (finished, end) = AsyncStream<Void>.makeStream()
        Task {
            _ = await finish.result
            end.finish()
        }
        for await _ in finished {}
        let cutsInput = try state.withLock { state in
            state.finisherCount -= 1
            guard Task.isCancelled, state.finishAwaitsInput else { return false }
            if state.finisherCount > 0 { throw CancellationError() }
            return true
        }
        if cutsInput { stopReading() }
        try await finish.value
        if cutsInput { throw CancellationError() }
    }

    private func beginFinish(after input: AwaitedInput, _ state: inout State) -> Task<Void, any Error> {
        if let finish = state.finish { return finish }
        let finish = Task { try await performFinish(after: input) }
        (state.finish, state.finishInput) = (finish, input)
        return finish
    }

    private func performFinish(after input: AwaitedInput) async throws {
        switch input {
        case .none: break
        case .through(let time): await waitForInput(through: time)
        case .toItsEnd: await waitForInput(through: nil)
        }
        stopReading()
        // After a cancellation there is nothing left to finish.
        if state.withLock({ $0.progress.isFinished }) { return }
        let failure = await inTurn {
            let inputFailure = state.withLock { $0.progress.failure }
            var failure = inputFailure
            for worker in ownWorkers {
                do { try await worker.finish(inputFailure: inputFailure) } catch { failure = failure ?? error }
            }
            return failure
        }
        setVolatileRange(.zero ..< .zero)
        end()
        try attach()
        if let failure { throw failure }
    }

    func cancelAndFinish() async {
        end()
        stopReading()
        for worker in ownWorkers { worker.cancel() }
        for worker in ownWorkers { await worker.release() }
    }

    /// Ends the session after its analyzer was released, without waiting. Modules that have finished keep their
    /// results.
    func abandon() {
        end()
        stopReading()
        for worker in ownWorkers { worker.cancel() }
    }

    private func end() {
        state.withLock { state in
            state.progress.finish()
            state.volatileRange = nil
            state.volatileRangeChangedHandler = nil
        }
    }

    private func throwIfFinished() throws { try state.withLock { try Self.throwIfFinished($0) } }

    private static func throwIfFinished(_ state: borrowing State) throws {
        guard state.progress.isFinished || state.finish != nil else { return }
        throw SpeechError(.finished, "the analyzer has finished; a new session needs a new analyzer and modules")
    }
}
