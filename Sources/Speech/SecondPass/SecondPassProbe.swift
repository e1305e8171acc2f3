import Glibc

extension SecondPassModel {
    /// What became of a trial.
    public enum ProbeOutcome: Hashable, Sendable {
        /// It loads and hears; both took so long.
        case works(loading: Duration, decoding: Duration)
        /// libtranscribe does not take it: a sentence.
        case refused(String)
        /// - Parameter hasLoaded: whether it was when it decoded.
        case crashed(signal: Int32, hasLoaded: Bool)
        case late(hasLoaded: Bool)
        /// The process could not be started, or ended in another way: for a sentence.
        case failed(String)
    }

    /// Loads the model in a worker of its own and lets it decode, as a session would. Nothing of the worker is left afterwards.
    ///
    /// - Parameters:
    ///   - samples: at 16 kHz.
    ///   - timeLimit: for both.
    public func probe(_ samples: [Int16], timeLimit: Duration = .seconds(300)) async -> ProbeOutcome {
        let (events, continuation) = AsyncStream.makeStream(of: WorkerProcess.Event.self)
        let worker = WorkerProcess(program: program, arguments: SecondPassWorker.arguments()) { event in
            continuation.yield(event)
            if case .ended = event { continuation.finish() }
        }
        worker.send(.load(WorkerSetup(library: library, model: path)))
        worker.send(.decode(1, samples))
        let alarm = Task { if (try? await Task.sleep(for: timeLimit)) != nil { worker.stop() } }
        defer {
            alarm.cancel()
            worker.stop()
        }
        return await Self.outcome(of: events, worker)
    }

    /// Follows the worker to its end.
    private static func outcome(of events: AsyncStream<WorkerProcess.Event>, _ worker: WorkerProcess) async -> ProbeOutcome {
        let clock = ContinuousClock()
        let start = clock.now
        var loading: Duration?
        var outcome: ProbeOutcome?
        for await event in events {
            switch event {
            case .answer(.ready): loading = clock.now - start
            case .answer(.result): outcome = outcome ?? .works(loading: loading ?? .zero, decoding: clock.now - start - (loading ?? .zero))
            case .answer(.failure(_, let failure)): outcome = outcome ?? .refused(failure.sentence)
            case .ended(.killed(signal: let signal)): outcome = outcome ?? .crashed(signal: signal, hasLoaded: loading != nil)
            case .ended(.stopped): outcome = outcome ?? .late(hasLoaded: loading != nil)
            case .ended(let end): outcome = outcome ?? .failed(end.words)
            }
            if outcome != nil { worker.stop() }
        }
        return outcome ?? .failed("it did not answer")
    }
}
