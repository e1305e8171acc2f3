extension CommandSpecification {
    static let outbox = CommandSpecification(
        name: "outbox",
        abstract: "the queue between what was said and where it belongs",
        discussion: [
            "What is caught waits here until it has arrived at every destination. An ID may be cut to its begin or its end, "
                + "where only one has that: on a terminal the list shows eight characters of it, the age, and the first words of the text.",
            "Destinations are set in utter/destinations.json in the XDG configuration folder, by name: {\"type\": \"vault\", "
                + "\"folder\"}, {\"type\": \"mail\", \"to\"}, {\"type\": \"webhook\", \"url\", \"bearer\"} or {\"type\": \"command\", "
                + "\"command\"}. The day's note, notes, in the folder of --notes, is one beside them, unless another has its name or "
                + "\"notes\": false takes it away.",
        ],
        subcommands: [
            .outboxSummary, .outboxList, .outboxShow, .outboxAdd, .outboxRetry, .outboxMove, .outboxDrain, .outboxClear,
            .outboxTest,
        ], firstIsDefault: true,
        examples: [
            Example("utter outbox", "How the queue is."),
            Example("date | utter outbox add", "Queue any text."),
            Example("utter outbox drain --watch", "Bring whatever comes, for a service."),
        ])

    static let outboxSummary = outboxCommand(
        "summary", OutboxSummary.self, "show how the queue is; the same as utter outbox alone",
        exitStatuses: [putAside])

    static let outboxList = outboxCommand(
        "list", OutboxList.self, "show what is in the queue, and why it is still there",
        exitStatuses: [putAside])

    static let outboxShow = outboxCommand(
        "show", OutboxShow.self, "show all about one or several, with the text",
        operands: [ids("Which one, or several.")],
        exitStatuses: [unknown])

    static let outboxAdd = outboxCommand(
        "add", OutboxAdd.self, "queue a text",
        discussion: [
            "It goes to every destination, or those of --to, and is brought there in the background. A configuration that can't be read does "
                + "not refuse it: the text waits in the outbox until that is mended."
        ],
        operands: [
            OperandSpecification(
                placeholder: "TEXT", kind: .text, help: "The text; without it, or with -, standard input.",
                isRequired: false,
                isRepeatable: true)
        ],
        options: [DeliveryOptions.destinations, OutboxAdd.onlyQueues],
        examples: [
            Example("utter outbox add --to work 'call Ada back'", "Queue a line for one destination.")
        ],
        exitStatuses: [ExitStatus(.dataError, "There is no text, or it is not UTF-8.")])

    static let outboxRetry = outboxCommand(
        "retry", OutboxRetry.self, "try again what failed, without a wait",
        discussion: ["It is brought in the background, what waits for you as well."],
        operands: [ids("Which one, or several.", isRequired: false)],
        options: [OutboxRetry.all, OutboxRetry.onlyMarks],
        exitStatuses: [putAside, unknown])

    static let outboxMove = outboxCommand(
        "move", OutboxMove.self, "give what waits another destination",
        discussion: [
            "It counts as new there, and is brought in the background. For notes the folder of --notes, or the usual one, takes the place of "
                + "the folder that was named at first. A text that is there already, or on its way there, does not come twice. "
                + "What is just on its way to the old destination may arrive there as well."
        ],
        operands: [ids("Which one, or several.", isRequired: false)],
        options: [OutboxMove.target, OutboxMove.origin, OutboxMove.all, OutboxMove.onlyMoves],
        examples: [
            Example(
                "utter outbox move 9c1194f1 --to notes --notes ~/vault", "Put a memo into another folder of notes."),
            Example("utter outbox move --from work --to me", "Send by mail what waits for a web hook."),
        ],
        exitStatuses: [putAside, unknown])

    static let outboxDrain = outboxCommand(
        "drain", OutboxDrain.self, "bring what may be brought now",
        options: [OutboxDrain.watches, OutboxDrain.duration],
        examples: [Example("utter outbox drain --watch", "Bring whatever comes, for a service.")],
        exitStatuses: [
            putAside,
            ExitStatus(.tempFail, "Something could not be brought yet, or another process drains."),
            ExitStatus(.interrupted, "Interrupted; without --watch."),
            ExitStatus(.terminated, "The same, by SIGTERM."),
        ])

    static let outboxClear = outboxCommand(
        "clear", OutboxClear.self, "throw away what has not arrived",
        discussion: ["What is just on its way may arrive all the same."],
        operands: [ids("Which one, or several; without any, all.", isRequired: false)], options: [OutboxClear.isSure],
        exitStatuses: [unknown])

    static let outboxTest = outboxCommand(
        "test", OutboxTest.self, "see whether a destination works",
        discussion: [
            "It is sent a line that says that this is a test. Where it works only after you have mended something, the exit status is 78."
        ],
        operands: [OperandSpecification(placeholder: "DESTINATION", kind: .destination, help: "Its name.")],
        exitStatuses: [
            ExitStatus(.tempFail, "It does not work now; it may later."),
            ExitStatus(.interrupted, "Interrupted; what it had started is ended too."),
            ExitStatus(.terminated, "The same, by SIGTERM."),
        ])

    /// A subcommand of `utter outbox`, with the options and exit statuses that all of them have.
    private static func outboxCommand(
        _ word: String, _ command: any Command.Type, _ abstract: String, discussion: [String] = [],
        operands: [OperandSpecification] = [],
        options: [any OptionKey] = [], examples: [Example] = [], exitStatuses: [ExitStatus] = []
    ) -> CommandSpecification {
        CommandSpecification(
            name: "outbox \(word)", runs: command, abstract: abstract, discussion: discussion, operands: operands,
            options: options + [Flag.json, DeliveryOptions.notes], examples: examples,
            exitStatuses: exitStatuses + [
                ExitStatus(.noPermission, "The queue's folder can't be read or written."),
                ExitStatus(.ioError, "Reading or writing failed on the way."),
                ExitStatus(.configuration, "The destinations are wrong, or one that is named is not there."),
            ])
    }

    private static func ids(_ help: String, isRequired: Bool = true) -> OperandSpecification {
        OperandSpecification(
            placeholder: "ID", kind: .operation, help: help, isRequired: isRequired, isRepeatable: true)
    }

    private static let putAside = ExitStatus(
        .dataError, "A file in the queue can't be read; it was put aside, and stays there.")
    private static let unknown = ExitStatus(.noInput, "There is no such operation.")
}

extension OutboxAdd {
    static let onlyQueues = Flag("no-drain", help: "Only queue it; bring nothing now.")
}

extension OutboxRetry {
    static let all = Flag("all", help: "All that wait.")
    static let onlyMarks = Flag("no-drain", help: "Only let it be tried again; bring nothing now.")
}

extension OutboxMove {
    static let target = Option<String>(
        "to", "DESTINATION", .destination, help: "Where it goes now: one of yours, or notes.")
    static let origin = Option<String>(
        "from", "DESTINATION", .destination, help: "All that wait for this one, which need not be configured any more.")
    static let all = Flag("all", help: "All, wherever they go.")
    static let onlyMoves = Flag("no-drain", help: "Only move it; bring nothing now.")
}

extension OutboxDrain {
    static let watches = Flag("watch", help: "Go on until interrupted.")
    static let duration = Option<Double>(
        "for", "SECONDS", 0.1...10_000_000,
        help: "With --watch: go on until nothing is left to bring, but begin nothing after this time.")
}

extension OutboxClear {
    static let isSure = Flag("yes", short: "y", help: "Don't ask.")
}
