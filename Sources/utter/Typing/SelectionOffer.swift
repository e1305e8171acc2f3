import Foundation
import Glibc
import Synchronization
import System

/// A text that is offered to other programs as both selections of X11, as long as this object exists. xclip(1)
final class SelectionOffer: Sendable {
    static let names = ["clipboard", "primary"]
    private let owners: [ChildProcess]
    private let count = Mutex(0)
    private let isLost = Mutex(false)

    /// How often the text was asked for, or its forms.
    var requestCount: Int { count.withLock { $0 } }

    /// Whether one of them is not offered any more: another program has taken the selection, or it could not be offered.
    var isTaken: Bool { isLost.withLock { $0 } }

    init(_ text: String, _ session: WindowSession) throws(FileError) {
        guard let file = MemoryFile(Array(text.utf8)) else { throw FileError(.start, path: "xclip", errno: errno) }
        owners = try Self.names.map { name throws(FileError) in
            // The programs share the file, and each reads it from its beginning.
            try ChildProcess(
                "xclip", ["-quiet", "-selection", name, "/proc/self/fd/0"], input: .descriptor(file.descriptor),
                output: .nothing, errors: .pipe, environment: session.environment, closesOtherDescriptors: true)
        }
        for owner in owners { _ = fcntl(owner.errors, F_SETFL, O_NONBLOCK) }
    }

    deinit { for owner in owners { close(owner.errors) } }

    /// Waits until both selections are offered and nobody has asked for a while.
    ///
    /// - Parameters:
    ///   - earlier: wait until there are more requests than this; nil waits for none.
    ///   - quiet: how long nobody has asked.
    ///   - limit: the longest time.
    func wait(forRequestAfter earlier: Int?, quiet: Duration, atMost limit: Duration) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                waitHere(earlier, quiet, ContinuousClock.now + limit)
                continuation.resume()
            }
        }
    }

    private func waitHere(_ earlier: Int?, _ quiet: Duration, _ end: ContinuousClock.Instant) {
        while ContinuousClock.now < end {
            let isAwaited = earlier.map { requestCount <= $0 } ?? false
            let rest = isAwaited ? end - .now : min(quiet, end - .now)
            var waits = owners.map { pollfd(fd: $0.errors, events: Int16(POLLIN), revents: 0) }
            let ready = poll(&waits, nfds_t(waits.count), Int32(max(1, rest / .milliseconds(1))))
            if ready == 0 && !isAwaited { return }
            for owner in owners { countRequests(owner.errors) }
            if waits.contains(where: { $0.revents & Int16(POLLHUP) != 0 }) {
                isLost.withLock { $0 = true }
                return
            }
        }
    }

    /// xclip says that it waits for the first request, and after each for the next.
    private func countRequests(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let length = read(descriptor, &buffer, buffer.count)
            if length <= 0 { return }
            let text = String(decoding: buffer[..<length], as: UTF8.self)
            let numbers = text.split(separator: "request number ").dropFirst()
            count.withLock { count in for number in numbers where number.trimmed != "1" { count += 1 } }
        }
    }
}

/// What a selection of X11 held, to put it back. xclip(1)
struct SelectionContent: Sendable {
    private let selection: String
    /// The form that is put back, such as an image, and the content, of any size; nil when there was nothing.
    private let content: (form: String, file: MemoryFile)?

    /// The forms that are put back, the first that there is: xclip can offer one only.
    private static let forms = ["UTF8_STRING", "image/png", "STRING"]

    /// So many milliseconds may reading or offering take.
    private static let patience: Int32 = 2000

    init(of selection: String, _ session: WindowSession) async {
        self.selection = selection
        let listed = await session.output(of: "xclip", ["-o", "-selection", selection, "-t", "TARGETS"]) ?? ""
        let there = Set(listed.split(separator: "\n").map { $0.trimmed })
        guard let form = Self.forms.first(where: there.contains), let file = MemoryFile([]) else {
            content = nil
            return
        }
        let isRead = await Self.run(["-o", "-selection", selection, "-t", form], .nothing, file.descriptor, session)
        content = isRead ? (form, file) : nil
    }

    /// A text, to offer it in the background.
    init?(_ text: String, of selection: String) {
        guard let file = MemoryFile(Array(text.utf8)) else { return nil }
        (self.selection, content) = (selection, ("UTF8_STRING", file))
    }

    func putBack(_ session: WindowSession) async {
        guard let (form, file) = content else { return }
        let arguments = ["-i", "-selection", selection, "-t", form, "/proc/self/fd/0"]
        _ = await Self.run(arguments, .descriptor(file.descriptor), nil, session)
    }

    /// Runs xclip; where it offers something, it goes on in the background.
    ///
    /// - Returns: whether it succeeded.
    private static func run(
        _ arguments: [String], _ input: ChildProcess.Attachment, _ output: Int32?, _ session: WindowSession
    ) async -> Bool {
        let output = output.map { ChildProcess.Attachment.descriptor($0) } ?? .nothing
        let end = try? await onOwnThread { () -> ChildProcess.End in
            let child = try ChildProcess(
                "xclip", arguments, input: input, output: output, errors: .nothing, environment: session.environment,
                closesOtherDescriptors: true)
            // It waits for ever for an owner that does not answer.
            let ended = try child.endDescriptor()
            defer { close(ended) }
            var wait = pollfd(fd: ended, events: Int16(POLLIN), revents: 0)
            if poll(&wait, 1, patience) == 0 { child.kill() }
            return child.wait()
        }
        return end == .exited(0)
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
