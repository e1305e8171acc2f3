import Foundation
import Models

/// The installation of all models that modules need and that are not there, one after the other.
///
/// It can be cancelled and repeated at any time: a download goes on where it stopped.
public final class AssetInstallationRequest: Sendable {
    /// The installations. Each says more of its progress.
    public let installations: [ModelInstallation]
    /// The progress of all of them, for a view.
    public let progress: Progress

    private static let unitsEach: Int64 = 1_000

    init(_ installations: [ModelInstallation]) {
        self.installations = installations
        progress = Progress(totalUnitCount: Int64(installations.count) * Self.unitsEach)
    }

    /// Downloads the models, verifies and installs them.
    ///
    /// - Throws: `SpeechError` if a model can't be downloaded or is refused; `FileError` if it can't be written;
    ///   `CancellationError`.
    public func downloadAndInstall() async throws {
        for (index, installation) in installations.enumerated() {
            let begin = Int64(index) * Self.unitsEach
            let updates = installation.progressUpdates
            let following = Task { [progress] in
                for await update in updates where update.phase == .downloading {
                    progress.completedUnitCount = begin + Int64(update.fractionCompleted * 0.9 * Double(Self.unitsEach))
                }
            }
            defer { following.cancel() }
            _ = try await installation.downloadAndInstall()
            following.cancel()
            await following.value
            progress.completedUnitCount = begin + Self.unitsEach
        }
    }
}
