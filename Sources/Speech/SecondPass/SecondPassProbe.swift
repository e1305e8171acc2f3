import Glibc

extension SecondPassModel {
    /// The outcome of a probe.
    public enum ProbeOutcome: Hashable, Sendable {
        /// The model loads and decodes, in these times, and has heard this text.
        case works(loading: Duration, decoding: Duration, text: String)
        /// libtranscribe refuses the model, for the reason in this sentence.
        case refused(String)
        /// A signal ended the process, before or after the model had loaded.
        case crashed(signal: Int32, hasLoaded: Bool)
        /// The time limit was over, before or after the model had loaded.
        case late(hasLoaded: Bool)
        /// The process could not be started, or ended in another way, in words for a sentence.
        case failed(String)
    }

    /// Loads the model in a new worker and decodes samples with it, as a session would. The worker is gone when this
    /// returns.
    ///
    /// - Parameters:
    ///   - samples: the sound at 16 kHz.
    ///   - language: the code of the language that is spoken; nil lets the model detect it.
    ///   - timeLimit: the limit for loading and decoding together.
    public func probe(
        _ samples: [Int16], language: String? = nil, timeLimit: Duration = .seconds(300)
    ) async -> ProbeOutcome {
        let (events, continuation) = AsyncStream.makeStream(of: WorkerProcess.Event.self)
        let worker = WorkerProcess(program: program, arguments: SecondPassWorker.arguments) { event in
            continuation.yield(event)
            if case .ended = event { continuation.finish() }
        }
        worker.send(.load(WorkerSetup(library: library, model: path, languages: language.map { [$0] } ?? [])))
        worker.send(.decode(1, SoundBytes(samples)))
        let alarm = Task { if (try? await Task.sleep(for: timeLimit)) != nil { worker.stop() } }
        defer {
            alarm.cancel()
            worker.stop()
        }
        let clock = ContinuousClock()
        let start = clock.now
        var loading: Duration?
        var outcome: ProbeOutcome?
        for await event in events {
            // What follows the outcome is the worker's end.
            if outcome != nil { continue }
            switch event {
            case .answer(.ready): loading = clock.now - start
            case .answer(.result(_, let decoded)):
                let decoding = clock.now - start - (loading ?? .zero)
                outcome = .works(
                    loading: loading ?? .zero, decoding: decoding, text: Plausibility.spoken(decoded.text))
            case .answer(.failure(_, let failure)): outcome = .refused(failure.sentence)
            case .ended(.killed(let signal)): outcome = .crashed(signal: signal, hasLoaded: loading != nil)
            case .ended(.stopped): outcome = .late(hasLoaded: loading != nil)
            case .ended(let end): outcome = .failed(end.words)
            }
            if outcome != nil { worker.stop() }
        }
        return outcome ?? .failed("it did not answer")
    }
}
