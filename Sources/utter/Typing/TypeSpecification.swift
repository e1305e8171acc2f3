extension CommandSpecification {
    static let type = CommandSpecification(
        name: "type",
        abstract: "dictate into the window that has the focus",
        discussion: [
            "Made for hotkeys: bind utter type toggle to a key, or begin to its press and end to its release, where a held key does not "
                + "repeat itself. Each sentence is typed as soon as its text is final, with a space between two and no Return unless \"new "
                + "line\" was said, into the window that had the focus as the dictation began. If another one has it by then, the text waits: "
                + "utter status shows that, and utter type again types it where the focus is.",
            "On X11 xdotool types, and xclip pastes what the keys do not produce, after which the clipboard holds what it held. "
                + "On Wayland wtype types; on GNOME and KDE wl-copy and dotool or ydotool paste. Everything waits on the disk until it is typed, and nothing is typed twice: where a program was "
                + "ended while it typed, the text waits for you.",
            "The first of these commands starts a process that serves the others, through a socket in XDG_RUNTIME_DIR. The microphone is open "
                + "only during a dictation.",
        ],
        subcommands: [
            .typeToggle, .typeBegin, .typeEnd, .typeCancel, .typeText, .typeScratch, .typeAgain, .typeDrop, .typeServe,
            .typeStop,
        ],
        examples: [
            Example("utter type toggle", "Begin to dictate, or end it; for a hotkey."),
            Example("utter type begin --locale de", "Dictate in German."),
            Example("utter status --follow --json", "Show a status bar what is going on."),
        ])

    static let typeToggle = typeCommand(
        "toggle", "begin a dictation, or end the one that has begun",
        discussion: ["It does what begin does, or end."], options: dictation, exitStatuses: beginning + ending)

    static let typeBegin = typeCommand(
        "begin", "begin a dictation",
        discussion: [
            "Returns when the microphone is open and the model is loaded; what is said before that is heard. If a dictation has begun "
                + "already, it goes on: a key that is held down repeats itself. It also goes on if this command is interrupted: "
                + "utter type cancel ends it."
        ],
        options: dictation, exitStatuses: beginning)

    static let typeEnd = typeCommand(
        "end", "end the dictation",
        discussion: ["Returns when all that was said is typed. Without a dictation it does nothing."],
        exitStatuses: ending)

    static let typeCancel = typeCommand(
        "cancel", "end the dictation, and throw away what is not typed yet",
        discussion: ["A sentence that is just being typed is typed to its end."])

    static let typeText = typeCommand(
        "text", "type a text",
        discussion: ["It goes the way of what is said, with nothing before or after it."],
        operands: [
            OperandSpecification(
                placeholder: "TEXT", kind: .text, help: "The text; without it, or with -, standard input.",
                isRequired: false, isRepeatable: true)
        ],
        examples: [Example("date | utter type text", "Type the date where the cursor is.")],
        exitStatuses: [
            ExitStatus(.dataError, "There is no text, or it is not UTF-8."),
            ExitStatus(.unavailable, "There is no graphical session, or no program that types."),
        ] + waiting)

    static let typeScratch = typeCommand(
        "scratch", "erase what was typed last, as \"scratch that\" does",
        discussion: [
            "Types Backspace for each character of the last utterance, if the same window has the focus; called again, for the one "
                + "before. If the last utterance waits, it is thrown away."
        ],
        exitStatuses: [
            ExitStatus(.noInput, "Nothing was typed in this window that can be erased.")
        ] + waiting)

    static let typeAgain = typeCommand(
        "again", "type what waits, into the window that has the focus now", exitStatuses: waiting)

    static let typeDrop = typeCommand("drop", "throw away what waits")

    static let typeServe = typeCommand(
        "serve", "serve the other commands, until a signal or utter type stop", runs: TypeServe.self,
        discussion: [
            "Nobody has to call this: the first of the other commands starts it. A service of systemd may, with Accept=no in the unit of the "
                + "socket and StandardInput=socket in that of the service."
        ],
        exitStatuses: [ExitStatus(.tempFail, "Another process serves.")])

    static let typeStop = typeCommand(
        "stop", "end the process that serves, when all that was said is typed")

    static let status = CommandSpecification(
        name: "status", runs: StatusCommand.self,
        abstract: "show what utter type is doing",
        discussion: [
            "Prints a line: idle, starting, listening or finishing, and how much waits for you, and why. The line holds nothing that was said."
        ],
        options: [StatusCommand.follows, Flag.json],
        examples: [
            Example("utter status", "See whether the microphone is open."),
            Example("utter status --follow --json", "A line for each change, for waybar: \"return-type\": \"json\"."),
        ],
        exitStatuses: [
            ExitStatus(.ioError, "Reading or writing failed on the way."),
            ExitStatus(
                .tempFail, "The process that types does not answer here: it has another XDG_RUNTIME_DIR, or ends."),
        ])

    /// A subcommand of `utter type`, with the exit statuses that all of them have.
    private static func typeCommand(
        _ word: String, _ abstract: String, runs command: any Command.Type = TypeRequest.self,
        discussion: [String] = [], operands: [OperandSpecification] = [],
        options: [any OptionKey] = [], examples: [Example] = [], exitStatuses: [ExitStatus] = []
    ) -> CommandSpecification {
        CommandSpecification(
            name: "type \(word)", runs: command, abstract: abstract, discussion: discussion, operands: operands,
            options: options,
            examples: examples,
            exitStatuses: exitStatuses + [
                ExitStatus(.noPermission, "The folder of the queue or of the socket can't be used."),
                ExitStatus(.ioError, "Reading or writing failed on the way."),
            ])
    }

    /// The options of a dictation, which are those of `utter listen`.
    private static let dictation: [any OptionKey] =
        [TypeRequest.space, TypeRequest.typesVolatile] + CaptureOptions.all + RecognitionOptions.live
        + WritingOptions.all(standard: ListenOptions.typingRules)

    private static let beginning = [
        ExitStatus(
            .unavailable, "There is no graphical session, no program that types, no such microphone, or no such model."),
        ExitStatus(.configuration, "The configuration is wrong."),
    ]
    private static let waiting = [
        ExitStatus(.tempFail, "The text waits: another window had the focus, or it can't be typed now.")
    ]
    private static let ending =
        waiting + [ExitStatus(.software, "Some speech could not be decoded, or was not waited for; all else is typed.")]
}

extension TypeRequest {
    static let space = Flag(
        "space", help: "Type a space behind each utterance, so that the next dictation can follow it.")
    static let typesVolatile = Flag(
        "volatile",
        help:
            "Type the guess at speech that is not final, too, and mend it with Backspace; so don't type yourself meanwhile. Where text "
            + "is pasted, only what is final appears.")
}

extension StatusCommand {
    static let follows = Flag("follow", help: "Go on, with a line for each change.")
}
