import Foundation
import Outbox

struct NotesToday: Command {
    static let specification = CommandSpecification.notesToday
    private let arguments: ParsedArguments
    private let day: String?

    init(arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        try arguments.refuse(Self.count, with: Self.date)
        let operand = arguments.operands.first
        if let operand, let complaint = ValueKind.day.complaint(about: operand) {
            throw Self.specification.usageError("the DAY \(complaint)")
        }
        if let operand, arguments.has(Self.count) || arguments.has(Self.date) {
            throw Self.specification.usageError("'\(operand)' can't go together with --count or --date")
        }
        day = (operand ?? arguments[Self.date]).flatMap { NoteDay.named($0) }
    }

    func run() throws -> ExitCode {
        let notes = try KeptNotes(arguments, onlyReads: true)
        if let count = arguments[Self.count] {
            try notes.show(notes.last(count), isJSON: false)
            return .ok
        }
        let today = Moment.now.day
        return try notes.showNote(of: day ?? today) || day == nil || day == today ? .ok : .nothingFound
    }
}

struct NotesLast: Command {
    static let specification = CommandSpecification.notesLast
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        let notes = try KeptNotes(arguments, onlyReads: true)
        try notes.show(notes.last(arguments[Self.count] ?? 20), isJSON: arguments[Flag.json])
        return .ok
    }
}

struct NotesSearch: Command {
    static let specification = CommandSpecification.notesSearch
    private let arguments: ParsedArguments
    private let words: [String]

    init(arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        words = arguments.operands.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        if words.isEmpty { throw Self.specification.usageError("search needs a word") }
    }

    func run() throws -> ExitCode {
        let notes = try KeptNotes(arguments, onlyReads: true)
        let found = try notes.last(arguments[Self.count] ?? .max) { entry in
            words.allSatisfy { entry.text.range(of: $0, options: [.caseInsensitive, .diacriticInsensitive]) != nil }
        }
        for entry in found { try notes.write(arguments[Flag.json] ? notes.json(entry) : KeptNotes.line(entry)) }
        return found.isEmpty ? .nothingFound : .ok
    }
}

struct NotesEdit: Command {
    static let specification = CommandSpecification.notesEdit
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
    static let specification = CommandSpecification.notesUndo
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try KeptNotes(arguments).undo(writesJSON: arguments[Flag.json])
        return .ok
    }
}

struct NotesRedo: Command {
    static let specification = CommandSpecification.notesRedo
    let arguments: ParsedArguments

    func run() throws -> ExitCode {
        try KeptNotes(arguments).redo()
        return .ok
    }
}

// What only shows notes goes on without settings that can't be read.
extension NotesToday { static var worksWithoutSettings: Bool { true } }
extension NotesLast { static var worksWithoutSettings: Bool { true } }
extension NotesSearch { static var worksWithoutSettings: Bool { true } }
