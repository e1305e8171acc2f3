import Foundation
import Outbox

struct NotesToday: Command {
    static let worksWithoutSettings = true
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try arguments.refuse(Self.count, with: Self.date)
        let operand = arguments.operands.first
        if let operand, let complaint = ValueKind.day.complaint(about: operand) {
            throw arguments.specification.usageError("the DAY \(complaint)")
        }
        if let operand, arguments.has(Self.count) || arguments.has(Self.date) {
            throw arguments.specification.usageError("'\(operand)' can't go together with --count or --date")
        }
        let notes = try KeptNotes(arguments, onlyReads: true)
        let isJSON = arguments[Flag.json]
        if let count = arguments[Self.count] { return try notes.showLast(count, isJSON: isJSON) }
        let (today, day) = (Moment.now.day, (operand ?? arguments[Self.date]).flatMap { NoteDay.named($0) })
        return try notes.showNote(of: day ?? today, isJSON: isJSON) || day == nil || day == today ? .ok : .nothingFound
    }
}

struct NotesLast: Command {
    static let worksWithoutSettings = true
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try KeptNotes(arguments, onlyReads: true).showLast(arguments[Self.count] ?? 20, isJSON: arguments[Flag.json])
    }
}

struct NotesSearch: Command {
    static let worksWithoutSettings = true
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let words = arguments.operands.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        if words.isEmpty { throw arguments.specification.usageError("search needs a word") }
        let notes = try KeptNotes(arguments, onlyReads: true)
        let (found, failure) = try notes.lastReadable(arguments[Self.count] ?? .max) { entry in
            words.allSatisfy { entry.text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil }
        }
        for entry in found { try notes.write(arguments[Flag.json] ? notes.json(entry) : KeptNotes.line(entry)) }
        return failure ?? (found.isEmpty ? .nothingFound : .ok)
    }
}

struct NotesEdit: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let notes = try KeptNotes(arguments)
        let entry = try notes.lastOne()
        let path = notes.vault.notePath(of: entry.day)
        try Editor.required(for: path, notes.environment).open(path, line: entry.line)
        return .ok
    }
}

struct NotesUndo: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try KeptNotes(arguments).undo(writesJSON: arguments[Flag.json])
        return .ok
    }
}

struct NotesRedo: Command {
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try KeptNotes(arguments).redo(writesJSON: arguments[Flag.json])
        return .ok
    }
}
