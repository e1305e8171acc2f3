import Synchronization

@testable import Speech

/// Counts the objects that libvosk has made and not freed. Calls go through to the library.
final class Natives: Sendable {
    struct Counts: Equatable {
        var models = 0
        var recognizers = 0
        var modelsEver = 0
        var recognizersEver = 0
    }

    private struct State {
        var counts = Counts()
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var counts: Counts { state.withLock { $0.counts } }
    var isEmpty: Bool { counts.models == 0 && counts.recognizers == 0 }

    /// Returns once everything is freed.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.counts.models == 0 && state.counts.recognizers == 0 { return true }
                state.waiters.append(continuation)
                return false
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func count(_ change: (inout Counts) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state.counts)
            guard state.counts.models == 0 && state.counts.recognizers == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// The library's calls, or `calls`, counted.
    func counting(_ calls: VoskCalls = .library) -> VoskCalls {
        var counting = calls
        counting.modelNew = { [self] path in
            let model = calls.modelNew(path)
            if model != nil {
                count {
                    $0.models += 1; $0.modelsEver += 1
                }
            }
            return model
        }
        counting.modelFree = { [self] model in
            calls.modelFree(model)
            count { $0.models -= 1 }
        }
        counting.recognizerNew = { [self] model, settings in
            let recognizer = calls.recognizerNew(model, settings)
            if recognizer != nil {
                count {
                    $0.recognizers += 1; $0.recognizersEver += 1
                }
            }
            return recognizer
        }
        counting.recognizerFree = { [self] recognizer in
            calls.recognizerFree(recognizer)
            count { $0.recognizers -= 1 }
        }
        return counting
    }
}
