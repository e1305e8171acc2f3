import Foundation
import Observation
import Synchronization
import System

/// The installation of one model, as Apple's `AssetInstallationRequest`.
///
/// ```swift
/// let store = ModelStore()
/// let installation = store.installation(of: try store.catalog.model(for: "en-us"))
/// let model = try await installation.downloadAndInstall()
/// ```
///
/// An installation can be cancelled and repeated at any time: a download continues where it stopped, and a model is
/// either complete or not there. Several installations may run at once, in several processes as well.
public final class ModelInstallation: Observable, Sendable {
    enum Source: Sendable {
        case catalog(CatalogModel)
        case archive(path: String)
        case address(HTTPAddress)
    }

    /// The outcome of an installation.
    public struct Outcome: Hashable, Sendable {
        /// The installed model.
        public let model: InstalledModel
        /// Whether the model was installed before; then nothing was downloaded or changed.
        public let wasInstalled: Bool
        /// How the downloaded file of a model for the second pass was verified; nil for an archive, and if nothing was
        /// downloaded.
        public internal(set) var verification: DownloadVerification?
    }

    let source: Source
    let store: ModelStore
    /// The name to give the model; nil for the one in the archive.
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

    init(_ source: Source, name: String?, checksum: Checksum?, store: ModelStore, tools: InstallTools = InstallTools())
    {
        self.source = source
        self.store = store
        givenName = name
        self.checksum = checksum
        self.tools = tools
        start = clock.now
    }

    /// The current progress. It is observable; see also `progressUpdates`.
    public var progress: InstallationProgress {
        registrar.access(self, keyPath: \.progress)
        return state.withLock { $0.meter.progress }
    }

    /// The progress from now on, about ten times per second, of which only the latest is kept. It ends when the
    /// installation succeeds or fails.
    public var progressUpdates: AsyncStream<InstallationProgress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: InstallationProgress.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        let (progress, hasEnded) = state.withLock { state in
            if !state.hasEnded { state.followers[id] = continuation }
            return (state.meter.progress, state.hasEnded)
        }
        // A continuation may call back, so never yield or finish under the lock.
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.followers.removeValue(forKey: id) }
        }
        continuation.yield(progress)
        if hasEnded { continuation.finish() }
        return stream
    }

    /// Installs the model, unless it is installed already.
    ///
    /// - Throws: `SpeechError` if the model can't be downloaded or is refused; `FileError` if it can't be written;
    ///   `CancellationError`.
    @discardableResult
    public func downloadAndInstall() async throws -> Outcome {
        state.withLock { $0.hasEnded = false }
        defer { finishFollowers() }
        return try await ChildCancellation.onOwnThread { try InstallationSteps(installation: self, stop: $0).run() }
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

/// How a download was verified.
public enum DownloadVerification: Hashable, Sendable {
    /// By the checksum in the list, or by one that the caller gave.
    case known
    /// By a SHA-256 that the named server sent with the file, which detects damage on the way but not a forgery.
    case server(String)
    /// Not at all: no checksum was known.
    case impossible
}

/// The programs, the calls and the limits of an installation.
struct InstallTools: Sendable {
    /// The calls with which it changes the disk.
    var calls = FileCalls.system
    var disk: FolderTools { FolderTools(calls) }
    var curl = Curl()
    /// The address of the official list, or of a mirror in `UTTER_MODEL_LIST`.
    var listAddress: String = {
        let named = ProcessInfo.processInfo.environment["UTTER_MODEL_LIST"] ?? ""
        return named.isEmpty ? "https://alphacephei.com/vosk/models/model-list.json" : named
    }()
    /// Returns the free space on the disk, in bytes; nil if it is not known.
    var freeSpace: @Sendable (_ path: String) -> Int? = { FolderTools.freeSpace(at: $0) }
}
