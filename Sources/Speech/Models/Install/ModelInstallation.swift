import Foundation
import Observation
import Synchronization

/// The installation of one model, of the shape of Apple's `AssetInstallationRequest`.
///
/// ```swift
/// let store = ModelStore()
/// let installation = store.installation(of: try store.catalog.model(for: "en-us"))
/// let model = try await installation.downloadAndInstall()
/// ```
///
/// It can be cancelled and repeated at any time: a download goes on where it stopped, and a model is there whole or not at all.
/// Several at once, also of several processes, do not harm each other.
public final class ModelInstallation: Observable, Sendable {
    enum Source: Sendable {
        case catalog(CatalogModel)
        case archive(path: String)
        case address(HTTPAddress)
    }

    /// What an installation came to.
    public struct Outcome: Hashable, Sendable {
        public let model: InstalledModel
        /// Whether it had been there before: then nothing was downloaded or changed.
        public let wasInstalled: Bool
        /// By what the file of a model of the second pass was verified; nil for archives, and for what was not downloaded.
        public internal(set) var verification: DownloadVerification?
    }

    let source: Source
    let store: ModelStore
    /// The name that the model gets; nil for the one that the archive has for it.
    let givenName: String?
    let checksum: Checksum?
    let tools: InstallTools

    private struct State {
        var meter = ProgressMeter()
        var followers: [UUID: AsyncStream<InstallationProgress>.Continuation] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let registrar = ObservationRegistrar()
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(_ source: Source, name: String?, checksum: Checksum?, store: ModelStore, tools: InstallTools = InstallTools()) {
        self.source = source
        self.store = store
        givenName = name
        self.checksum = checksum
        self.tools = tools
        start = clock.now
    }

    /// How far it is. Observable; or see `progressUpdates`.
    public var progress: InstallationProgress {
        registrar.access(self, keyPath: \.progress)
        return state.withLock { $0.meter.progress }
    }

    /// How far it is, from now on, some ten times a second: always the latest. Ends with the installation, also when that fails.
    public var progressUpdates: AsyncStream<InstallationProgress> {
        let (stream, continuation) = AsyncStream.makeStream(of: InstallationProgress.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        let (progress, hasEnded) = state.withLock { state in
            if !state.hasEnded { state.followers[id] = continuation }
            return (state.meter.progress, state.hasEnded)
        }
        // A continuation calls back, so never under the lock.
        continuation.onTermination = { [weak self] _ in self?.state.withLock { _ = $0.followers.removeValue(forKey: id) } }
        continuation.yield(progress)
        if hasEnded { continuation.finish() }
        return stream
    }

    /// Installs the model, unless it is installed.
    ///
    /// - Throws: `SpeechError` when it can't be had, or what came is not fit; `FileError` when it can't be written; `CancellationError`.
    @discardableResult
    public func downloadAndInstall() async throws -> Outcome {
        let stop = Stop()
        state.withLock { $0.hasEnded = false }
        defer { finishFollowers() }
        return try await withTaskCancellationHandler {
            try await onOwnThread { try Installing(installation: self, stop: stop).run() }
        } onCancel: {
            stop.stop()
        }
    }

    func begin(_ phase: InstallationProgress.Phase, total: Int? = nil) {
        change { meter in
            meter.begin(phase, total: total)
            return true
        }
    }

    func take(_ completed: Int, of total: Int?) {
        let now = (clock.now - start) / .seconds(1)
        change { $0.take(completed, of: total, at: now) }
    }

    private func change(_ body: (inout ProgressMeter) -> Bool) {
        registrar.withMutation(of: self, keyPath: \.progress) {
            let (followers, progress) = state.withLock { state in
                (body(&state.meter) ? Array(state.followers.values) : [], state.meter.progress)
            }
            for follower in followers { follower.yield(progress) }
        }
    }

    private func finishFollowers() {
        let followers = state.withLock { state in
            state.hasEnded = true
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }
}

/// By what a download was verified.
public enum DownloadVerification: Hashable, Sendable {
    /// By the checksum of the list, or one that was given.
    case known
    /// By a SHA-256 that the server of that name said with the file: that tells what was damaged on the way, and no more.
    case server(String)
    /// By nothing: nobody had a checksum.
    case impossible
}

/// The programs and the limits that an installation works with.
struct InstallTools: Sendable {
    var curl = Curl()
    /// Where the official list is: `UTTER_MODEL_LIST` stands for another place, such as a mirror.
    var listAddress: String = {
        let named = ProcessInfo.processInfo.environment["UTTER_MODEL_LIST"] ?? ""
        return named.isEmpty ? "https://alphacephei.com/vosk/models/model-list.json" : named
    }()
    /// Room on the disk, in bytes; nil when it can't be told.
    var freeSpace: @Sendable (_ path: String) -> Int? = { FolderTools.freeSpace(at: $0) }
}
