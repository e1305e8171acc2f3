import TestSupport

@testable import Speech

/// Counts the objects that libvosk has made and not freed. Calls go through to the library.
final class Natives: Sendable {
    struct Counts: Equatable {
        var models = 0
        var recognizers = 0
        var modelsEver = 0
        var recognizersEver = 0
    }

    private let state = Awaited(Counts())

    var counts: Counts { state.state }

    /// Returns once everything is freed.
    func empty() async { await state.wait { $0.models == 0 && $0.recognizers == 0 } }

    /// The library's calls, or `calls`, counted.
    func counting(_ calls: VoskCalls = .library) -> VoskCalls {
        var counting = calls
        counting.modelNew = { [state] path in
            let model = calls.modelNew(path)
            if model != nil { state.withLock { ($0.models, $0.modelsEver) = ($0.models + 1, $0.modelsEver + 1) } }
            return model
        }
        counting.modelFree = { [state] model in
            calls.modelFree(model)
            state.withLock { $0.models -= 1 }
        }
        counting.recognizerNew = { [state] model, rate, configuration in
            let recognizer = calls.recognizerNew(model, rate, configuration)
            if recognizer != nil {
                state.withLock { ($0.recognizers, $0.recognizersEver) = ($0.recognizers + 1, $0.recognizersEver + 1) }
            }
            return recognizer
        }
        counting.recognizerFree = { [state] recognizer in
            calls.recognizerFree(recognizer)
            state.withLock { $0.recognizers -= 1 }
        }
        return counting
    }
}
