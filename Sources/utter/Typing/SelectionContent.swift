import Foundation
import Glibc
import System

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
        let there = Set(listed.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
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
