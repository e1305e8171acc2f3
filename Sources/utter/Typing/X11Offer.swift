import Foundation
import Glibc
import Synchronization
import System

/// A text that is offered to other programs as both selections of X11, as long as this object exists. xclip(1)
final class X11Offer: TextOffer {
    private let owners: [ChildProcess]
    private let state = Mutex((offeredCount: 0, requestCount: 0, settledCount: 0, isTaken: false))

    /// How often the text was asked for, or its forms.
    private var requestCount: Int { state.withLock { $0.requestCount } }

    /// Whether both are offered.
    private var isOffered: Bool { state.withLock { $0.offeredCount == owners.count } }

    /// Whether one of them is not offered any more: another program has taken the selection, or it could not be offered.
    private var isTaken: Bool { state.withLock { $0.isTaken } }

    /// After so long without another request a program has the text: first it asks for the forms that there are.
    private static let quiet = Duration.milliseconds(200)
    /// So long may xclip take to start on a busy machine. What is pasted before that is what was in the clipboard.
    private static let patience = Duration.seconds(5)

    init(_ text: String, _ session: WindowSession) throws(FileError) {
        guard let file = MemoryFile(Array(text.utf8)) else { throw FileError(.start, path: "xclip", errno: errno) }
        owners = try ClipboardProgram.selections.map { name throws(FileError) in
            // The programs share the file, and each reads it from its beginning. Without this process a window still gets the text:
            // one that gets nothing may ask again later, when the clipboard has something else.
            try ChildProcess(
                "xclip", ["-quiet", "-selection", name, "/proc/self/fd/0"], input: .descriptor(file.descriptor),
                output: .nothing, errors: .pipe, survivesClosedPipe: true, environment: session.environment,
                closesOtherDescriptors: true)
        }
        for owner in owners { _ = fcntl(owner.errors, F_SETFL, O_NONBLOCK) }
    }

    deinit { for owner in owners { close(owner.errors) } }

    func settle() async -> String? {
        await wait(forRequestAfter: nil, quiet: .zero, atMost: Self.patience)
        // Not longer, for a program that keeps a history may ask without end.
        await wait(forRequestAfter: nil, quiet: Self.quiet, atMost: .seconds(1))
        state.withLock { $0.settledCount = $0.requestCount }
        if isTaken { return "another program has taken the clipboard, or xclip has failed" }
        return isOffered ? nil : "xclip has not offered the text within 5 seconds"
    }

    func isAskedFor(within limit: Duration) async -> Bool {
        let count = state.withLock { $0.settledCount }
        await wait(forRequestAfter: count, quiet: Self.quiet, atMost: limit)
        return requestCount > count && !isTaken
    }

    /// Another program has a selection if the xclip that had it has ended.
    func isTaken(_ selection: String) -> Bool {
        guard let index = ClipboardProgram.selections.firstIndex(of: selection) else { return false }
        var wait = pollfd(fd: owners[index].errors, events: 0, revents: 0)
        return poll(&wait, 1, 0) == 1 && wait.revents & Int16(POLLHUP) != 0
    }

    /// Waits until both selections are offered and nobody has asked for a while.
    ///
    /// - Parameter earlier: wait until there are more requests than this; nil waits for none.
    private func wait(forRequestAfter earlier: Int?, quiet: Duration, atMost limit: Duration) async {
        await onOwnThread { [self] in waitHere(earlier, quiet, ContinuousClock.now + limit) }
    }

    private func waitHere(_ earlier: Int?, _ quiet: Duration, _ end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            let isAwaited = !isOffered || earlier.map { requestCount <= $0 } ?? false
            let rest = isAwaited ? end - .now : min(quiet, end - .now)
            var waits = owners.map { pollfd(fd: $0.errors, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&waits, nfds_t(waits.count), Int32(max(1, rest / .milliseconds(1))))
            if ready == 0 && !isAwaited { return }
            for owner in owners { countRequests(owner.errors) }
            if waits.contains(where: { $0.revents & Int16(POLLHUP) != 0 }) {
                state.withLock { $0.isTaken = true }
                return
            }
        }
    }

    /// xclip says that it waits for the first request when it has the selection, and after each request that it waits for the next.
    private func countRequests(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let length = read(descriptor, &buffer, buffer.count)
            if length <= 0 { return }
            let text = String(decoding: buffer[..<length], as: UTF8.self)
            let numbers = text.split(separator: "request number ").dropFirst().map { $0.prefix { $0.isNumber } }
            let firstCount = numbers.count { $0 == "1" }
            state.withLock {
                $0.offeredCount += firstCount
                $0.requestCount += numbers.count - firstCount
            }
        }
    }
}
