import Foundation
import Glibc
import Synchronization
import System

/// A text that is offered on Wayland. wl-copy goes into the background when the selection is its own, and ends when its text was asked for
/// once, or another program has the selection. Where a program that keeps a history asks first, the text stays until it is replaced, and
/// nobody can tell whether the window has asked, too. wl-copy(1)
final class WaylandOffer: TextOffer {
    private let text: [UInt8]
    private let session: WindowSession
    /// For each selection a descriptor that hangs up when its wl-copy ends, and whether the text is offered until it is replaced.
    private let offered = Mutex((ends: [Int32](), lasts: false))

    /// So long may a program that keeps a history take to ask.
    private static let quiet = Duration.milliseconds(300)
    /// So long may the window take to ask where nobody can tell.
    private static let unseen = Duration.milliseconds(700)

    init(_ text: String, _ session: WindowSession) { (self.text, self.session) = (Array(text.utf8), session) }

    deinit { forget() }

    func settle() async -> String? {
        guard await offer(lasts: false) else { return Self.failed }
        if await !hasEnded(within: Self.quiet) { return nil }
        guard await offer(lasts: true) else { return Self.failed }
        return await hasEnded(within: Self.quiet) ? "another program has taken the clipboard" : nil
    }

    private static let failed = "wl-copy could not offer the text"

    /// wl-copy ends in the same way where its text was asked for.
    func isTaken(_ selection: String) -> Bool { false }

    func isAskedFor(within limit: Duration) async -> Bool {
        if !offered.withLock({ $0.lasts }) { return await hasEnded(within: limit) }
        if limit < Self.unseen { return false }
        return await !hasEnded(within: Self.unseen)
    }

    /// Waits until a wl-copy has ended.
    private func hasEnded(within limit: Duration) async -> Bool {
        await onOwnThread { [self] in
            var waits = offered.withLock { $0.ends }.map { pollfd(fd: $0, events: 0, revents: 0) }
            return poll(&waits, nfds_t(waits.count), Int32(limit / .milliseconds(1))) > 0
        }
    }

    /// Offers the text as both selections. Some compositors have no primary one.
    ///
    /// - Returns: whether it is in the clipboard.
    private func offer(lasts: Bool) async -> Bool {
        forget()
        let ends = await onOwnThread { [self] in ClipboardProgram.selections.map { offer($0, lasts: lasts) } }
        offered.withLock { $0 = (ends.compactMap { $0 }, lasts) }
        return ends[0] != nil
    }

    private func offer(_ selection: String, lasts: Bool) -> Int32? {
        let program = ClipboardProgram.wlClipboard
        let command = lasts ? program.offering(selection, as: "text/plain") : program.offeringOnce(selection)
        // wl-copy reads it from where the last one has stopped, so each has its own.
        guard let file = MemoryFile(text),
            let child = try? ChildProcess(
                command.program, command.arguments, input: .descriptor(file.descriptor), output: .nothing,
                errors: .pipe, environment: session.environment, closesOtherDescriptors: true)
        else { return nil }
        // The first process ends when the selection is set; the one in the background keeps the pipe.
        if child.end(within: .seconds(2)) == .exited(0) { return child.errors }
        close(child.errors)
        return nil
    }

    private func forget() {
        offered.withLock { offered in
            for end in offered.ends { close(end) }
            offered.ends = []
        }
    }
}
