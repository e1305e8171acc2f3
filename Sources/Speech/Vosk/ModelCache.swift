import Models
import Synchronization
import System

/// The loaded models, which transcribers share.
final class ModelCache: Sendable {
    static let shared = ModelCache()

    private struct Key: Hashable {
        var path: String
        var endpointing: Endpointing
    }

    private struct Entry {
        /// The task that loads the model, until it has ended.
        var loading: Task<VoskModel, any Error>?
        weak var model: VoskModel?
        /// The model, once a use was `ModelRetention.processLifetime`.
        var retained: VoskModel?
        /// Keeps the model for the minute of the last use that was `ModelRetention.lingering`.
        var lingering: Task<Void, Never>?
    }

    private let entries = Mutex<[Key: Entry]>([:])
    /// Where models are loaded, one after another, since loading computes and reads for seconds.
    private let loader = SerialDispatchExecutor(label: "utter.model-loading", for: .computing)
    private let calls: VoskCalls

    init(calls: VoskCalls = .library) { self.calls = calls }

    /// A closure that loads a transcriber's model from the shared cache.
    static func loading(
        _ model: ModelReference, endpointing: Endpointing, retention: ModelRetention
    ) -> @Sendable () async throws -> any SpeechEngine {
        { try await shared.engine(model, endpointing: endpointing, retention: retention) }
    }

    func engine(_ model: ModelReference, endpointing: Endpointing, retention: ModelRetention) async throws -> VoskModel
    {
        let folder = try model.resolved().folder
        let key = Key(path: folder.path, endpointing: endpointing)
        let loaded = try await loadedModel(key, folder)
        retain(loaded, key, retention)
        return loaded
    }

    func endRetention() {
        // The models are freed after the lock is open again.
        let released = entries.withLock { entries in
            entries.map { key, entry in
                entries[key]?.retained = nil
                entries[key]?.lingering = nil
                return entry
            }
        }
        for entry in released { entry.lingering?.cancel() }
    }

    private func loadedModel(_ key: Key, _ folder: ModelFolder) async throws -> VoskModel {
        let loading = entries.withLock { entries -> Task<VoskModel, any Error> in
            if let model = entries[key]?.model { return Task { model } }
            if let loading = entries[key]?.loading { return loading }
            let loading = Task(executorPreference: loader.tasks) { [calls] in
                try VoskModel(folder: folder, endpointing: key.endpointing, calls: calls)
            }
            entries[key, default: Entry()].loading = loading
            return loading
        }
        let result = await loading.result
        entries.withLock { entries in
            // The task would retain the model for ever.
            guard entries[key]?.loading == loading else { return }
            entries[key]?.loading = nil
            if case .success(let model) = result { entries[key]?.model = model } else { entries[key] = nil }
        }
        return try result.get()
    }

    private func retain(_ model: VoskModel, _ key: Key, _ retention: ModelRetention) {
        entries.withLock { entries in
            switch retention {
            case .whileInUse: break
            case .lingering:
                entries[key]?.lingering?.cancel()
                entries[key]?.lingering = Task {
                    try? await Task.sleep(for: .seconds(60))
                    withExtendedLifetime(model) {}
                }
            case .processLifetime: entries[key]?.retained = model
            }
        }
    }
}
