import Foundation
import Glibc
import System

/// What a selection held, to put it back.
struct SelectionContent: Sendable {
    let selection: String
    /// The form that is put back, such as an image, and the content, of any size; nil when there was nothing.
    private let content: (form: String, file: MemoryFile)?

    /// The forms that are put back, the first that there is: the programs can offer one only, and its other names.
    private static let forms = ["UTF8_STRING", "text/plain;charset=utf-8", "image/png", "STRING", "text/plain"]

    /// So long may reading or offering take.
    private static let patience = Duration.seconds(2)

    init(of selection: String, _ session: WindowSession) async {
        self.selection = selection
        let program = ClipboardProgram(session)
        let listing = program.listing(selection)
        let listed = await session.output(of: listing.program, listing.arguments) ?? ""
        let there = Set(listed.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
        guard let form = Self.forms.first(where: there.contains), let file = MemoryFile([]) else {
            content = nil
            return
        }
        let isRead = await Self.run(program.reading(selection, as: form), .nothing, file.descriptor, session)
        content = isRead ? (form, file) : nil
    }

    /// A text, to offer it in the background.
    init?(_ text: String, of selection: String) {
        guard let file = MemoryFile(Array(text.utf8)) else { return nil }
        (self.selection, content) = (selection, ("UTF8_STRING", file))
    }

    func putBack(_ session: WindowSession) async {
        let program = ClipboardProgram(session)
        guard let (form, file) = content else {
            if let clearing = program.clearing(selection) { _ = await Self.run(clearing, .nothing, nil, session) }
            return
        }
        // What was written into it has moved its place, which the next program shares.
        lseek(file.descriptor, 0, SEEK_SET)
        _ = await Self.run(program.offering(selection, as: form), .descriptor(file.descriptor), nil, session)
    }

    /// Runs a program; where it offers something, it goes on in the background.
    ///
    /// - Returns: whether it succeeded.
    private static func run(
        _ command: ClipboardProgram.Command, _ input: ChildProcess.Attachment, _ output: Int32?,
        _ session: WindowSession
    ) async -> Bool {
        let output = output.map { ChildProcess.Attachment.descriptor($0) } ?? .nothing
        let end = try? await onOwnThread { () -> ChildProcess.End in
            // It waits for ever for an owner that does not answer.
            try ChildProcess(
                command.program, command.arguments, input: input, output: output, errors: .nothing,
                environment: session.environment, closesOtherDescriptors: true
            ).end(within: patience)
        }
        return end == .exited(0)
    }
}
