import Foundation
import Outbox
import System

/// Drains the queue, and follows the configuration of the destinations meanwhile.
enum Draining {
    /// Drains a queue.
    ///
    /// - Parameters:
    ///   - duration: the time after which no attempt begins, in seconds; nil for none.
    ///   - end: when this stream ends, no attempt begins any more, and this returns when those that are under way have ended.
    ///   - failed: called with the error when a changed configuration can't be read; the destinations before stay in force.
    static func run(
        _ mode: OutboxDrainer.Mode, _ store: OutboxStore, notes: MarkdownVault.Location, for duration: Double? = nil,
        until end: AsyncStream<Never>? = nil,
        failed: @escaping @Sendable (OutboxError) -> Void = { _ in },
        log: @escaping @Sendable (OutboxEvent) -> Void = { _ in }
    ) async throws -> OutboxDrainer.End {
        // It is watched before it is read, or a change in between could be missed.
        let (changes, mailbox) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watches = mode == .once ? [] : watch { mailbox.yield() }
        let contents = Self.contents
        let destinations = try Destinations.load(notes: notes)
        let drainer = OutboxDrainer(store: store, handlers: destinations.handlers, log: log)
        let following = Task {
            var (watches, contents) = (watches, contents)
            for await _ in changes {
                // A folder may have been made, or another one may have its name.
                watches = watch { mailbox.yield() }
                let now = Self.contents
                if now == contents { continue }
                contents = now
                do throws(OutboxError) {
                    await drainer.use(try Destinations.load(notes: notes).handlers)
                } catch {
                    failed(error)
                }
            }
            withExtendedLifetime(watches) {}
        }
        let ending = end.map { end in
            Task {
                for await _ in end {}
                await drainer.end()
            }
        }
        defer {
            following.cancel()
            ending?.cancel()
        }
        return try await drainer.run(mode, for: duration.map { .seconds($0) })
    }

    /// The files that say what the destinations are.
    private static let paths = [Destinations.path(), Settings.path(ProcessInfo.processInfo.environment)]

    private static var contents: [Data?] {
        paths.map { if case .content(let data) = SmallFile.read($0) { data } else { nil } }
    }

    /// Watches the folders of the files, also those that symbolic links lead to.
    private static func watch(tell: @escaping @Sendable () -> Void) -> [FolderWatch] {
        let files = paths.map { URL(fileURLWithPath: $0) }
        let folders = (files + files.map { $0.resolvingSymlinksInPath() }).map { $0.deletingLastPathComponent().path }
        return Set(folders).compactMap { watch($0, tell) }
    }

    /// Watches a folder, or the nearest one above it where it is missing.
    private static func watch(_ folder: String, _ tell: @escaping @Sendable () -> Void) -> FolderWatch? {
        if let watch = try? FolderWatch(folder, tell: { _ in tell() }) { return watch }
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        guard parent != folder, let above = watch(parent, tell) else { return nil }
        // It may have been made in between.
        return (try? FolderWatch(folder, tell: { _ in tell() })) ?? above
    }
}
