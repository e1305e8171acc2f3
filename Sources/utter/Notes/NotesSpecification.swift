extension CommandSpecification {
    static let notes = CommandSpecification(
        name: "notes",
        abstract: "read the notes that memos went to, and mend the last",
        discussion: [
            "Alone it prints today's note. The notes are those of the outbox's destination notes: a file for each day in the folder of --notes "
                + "or UTTER_NOTES, or else in utter/notes in the XDG data folder. Where that destination is taken away, they are those of "
                + "the first vault among the others.",
            "The marks that stand behind memos in the notes are left out.",
        ],
        subcommands: [.notesToday, .notesLast, .notesSearch, .notesEdit, .notesAgain, .notesUndo, .notesRedo],
        firstIsDefault: true,
        examples: [
            Example("utter notes", "What was kept today."),
            Example("utter notes yesterday", "What was kept yesterday; utter notes 2026-11-23 on that day."),
            Example("utter notes -n 20", "The last twenty memos, of whatever day; the same as utter notes last."),
            Example("utter notes search ada house", "The memos that have both words."),
            Example("utter notes undo", "Take the last memo out of its note; utter notes redo puts it back."),
        ])

    static let notesToday = notesCommand(
        "today", NotesToday.self, "print today's note, or another day's; the same as utter notes alone",
        operands: [
            OperandSpecification(
                placeholder: "DAY", kind: .day, help: "The day of the note: 2026-11-23, today or yesterday.",
                isRequired: false)
        ],
        options: [NotesToday.count, NotesToday.date, json],
        exitStatuses: [ExitStatus(.nothingFound, "That other day has no note.")])

    static let notesLast = notesCommand(
        "last", NotesLast.self, "print the last memos, of whatever day", options: [NotesLast.count, json])

    static let notesSearch = notesCommand(
        "search", NotesSearch.self, "print the memos that have all of these words",
        discussion: ["A word may be a part of one, in capitals or not, with accents or without."],
        operands: [
            OperandSpecification(placeholder: "WORD", kind: .text, help: "What to look for.", isRepeatable: true)
        ],
        options: [NotesSearch.count, json],
        exitStatuses: [ExitStatus(.nothingFound, "There is none.")])

    static let notesEdit = notesCommand(
        "edit", NotesEdit.self, "open the note of the last memo in an editor",
        discussion: [
            "The editor is that of VISUAL, or else EDITOR, or else sensible-editor, nano or vi. The well-known ones of the terminal begin "
                + "at the memo. The exit status is then the editor's."
        ],
        exitStatuses: [nothing, ExitStatus(.unavailable, "There is no editor.")])

    static let notesAgain = notesCommand(
        "again", NotesAgain.self, "hear the sound of the last memo again, and print what is said",
        discussion: [
            "What was heard in a memo whose sound was kept (utter memo --save-audio) is transcribed again by the models that are in use now, and "
                + "written as memos are. So a better model makes a better text of it.",
            "If some of the sound can't be decoded, that is a failure, and the note stays as it is.",
            "The sound is found by the memo's mark in the note. What went to other destinations is not changed.",
        ],
        operands: [
            OperandSpecification(
                placeholder: "ID", kind: .text,
                help:
                    "Another memo than the last: its id, which is its mark in the note, or the beginning or the end of that.",
                isRequired: false)
        ],
        options: [NotesAgain.replaces, NotesAgain.savedAudio] + RecognitionOptions.all
            + WritingOptions.all(standard: MemoOptions.standardRules),
        examples: [
            Example("utter notes again --second-pass none", "What libvosk alone hears."),
            Example("utter notes again --replace", "After a better model was installed: its text for the last memo."),
        ],
        exitStatuses: [
            ExitStatus(.nothingFound, "Nothing is heard."),
            ExitStatus(.noInput, "There is no such memo, or its sound was not kept."), notAsWritten,
            ExitStatus(.tempFail, "A later memo is still on its way, or an editor keeps replacing the note."),
            ExitStatus(.unavailable, "There is no such model."),
        ])

    private static let notAsWritten = ExitStatus(
        .dataError, "It is not as a memo is written, so that nobody knows where it begins.")

    static let notesUndo = notesCommand(
        "undo", NotesUndo.self, "take the last memo out of its note",
        discussion: [
            "Where utter notes again has replaced a text after the last memo was kept or put back, it brings back the old text instead, unless "
                + "the new one was edited since. The memo goes only if it stands there as a memo is written. What went to other destinations is not taken back; what is still on its way there is named. What is taken "
                + "out is kept for redo, in utter/undone in the XDG state folder: for 30 days, and the last ten longer.",
            "Other lines of the note stay, whatever other programs add to it meanwhile. If one of them holds the note open, a line of spaces stays "
                + "in the memo's place.",
        ],
        options: [json],
        exitStatuses: [
            nothing, notAsWritten,
            ExitStatus(.tempFail, "A later one is still on its way, or an editor keeps replacing the note."),
        ])

    static let notesRedo = notesCommand(
        "redo", NotesRedo.self, "put back what undo took out last",
        discussion: [
            "A memo is added at the end of the note in which it was. Where undo brought an old text back, the new one takes its place again.",
            "A memo that was put back before is put back again if the note has lost it, as when an editor has saved an older copy.",
        ],
        options: [json],
        exitStatuses: [
            ExitStatus(.dataError, "The memo whose text undo brought back was changed after that."),
            nothing,
        ])

    /// A subcommand of `utter notes`, with the options and exit statuses that all of them have.
    private static func notesCommand(
        _ word: String, _ command: any Command.Type, _ abstract: String, discussion: [String] = [],
        operands: [OperandSpecification] = [],
        options: [any OptionKey] = [], examples: [Example] = [], exitStatuses: [ExitStatus] = []
    ) -> CommandSpecification {
        CommandSpecification(
            name: "notes \(word)", runs: command, abstract: abstract, discussion: discussion, operands: operands,
            options: options + [DeliveryOptions.notes], examples: examples,
            exitStatuses: exitStatuses + [
                ExitStatus(.cannotCreate, "Something else is in the place of the notes."),
                ExitStatus(.noPermission, "The notes may not be read or written."),
                ExitStatus(.ioError, "Reading or writing failed on the way."),
                ExitStatus(.configuration, "The destinations are wrong."),
            ])
    }

    private static let json = Flag.json.with(help: "Write JSON, an object a line.")
    private static let nothing = ExitStatus(.noInput, "There is none.")
}

extension NotesToday {
    static let count = NotesLast.count.with(help: "Print the last N memos instead.")
    static let date = Option<String>("date", "DAY", .day, help: "The day of the note, in place of the argument DAY.")
}

extension NotesLast {
    static let count = Option<Int>("count", short: "n", "N", 1...1_000_000, help: "So many; 20 unless given.")
}

extension NotesSearch {
    static let count = NotesLast.count.with(help: "Only the last N that are found.")
}

extension NotesAgain {
    static let replaces = Flag(
        "replace",
        help: "Put it in the place of the memo's text in the note. utter notes undo brings the old text back.")
    static let savedAudio = MemoOptions.savedAudio.with(
        help: "The folder in which memos keep their sound. Without it that of the configuration.")
}
