extension CommandSpecification {
    static let outbox = CommandSpecification(
        name: "outbox",
        abstract: "the queue between what was said and where it belongs",
        discussion: [
            "Without an ACTION, or with list, show ID, add [TEXT], retry [ID], drain, clear [ID] or test DESTINATION. An ID may be "
                + "cut to a part that only one has. clear without an ID clears all.",
            "add takes the text from standard input unless it is given, and queues it for every destination, or those of --to; it is "
                + "brought there in the background. drain brings what may be brought now; with --watch it goes on, for a service.",
            "Destinations are set in utter/destinations.json in the XDG configuration folder, by name: {\"type\": \"vault\", "
                + "\"folder\"}, {\"type\": \"mail\", \"to\"}, {\"type\": \"webhook\", \"url\", \"bearer\"} or {\"type\": \"command\", "
                + "\"command\"}. Without that file there is one, notes: the folder of --notes.",
        ],
        operands: [
            OperandSpecification(
                placeholder: "ACTION", kind: .choice(OutboxOptions.Action.allCases.map(\.rawValue)),
                help: "What to do.", isRequired: false),
            OperandSpecification(
                placeholder: "ARGUMENT", kind: .text, help: "What to do it with.", isRequired: false, isRepeatable: true),
        ],
        options: [
            .value("to", "DESTINATION", .text, isRepeatable: true, help: "With add: queue it for this destination only."),
            .flag("all", help: "With retry: all, not one."),
            .flag("watch", help: "With drain: go on until interrupted."),
            .value(
                "for", "SECONDS", .number(0.1...10_000_000),
                help: "With drain --watch: go on until nothing is left to bring, but no longer than this."),
            .flag("no-drain", help: "With add: only queue it; bring nothing now."),
            .flag("yes", short: "y", help: "With clear: don't ask."),
            .flag("json", help: "Write JSON."),
            DeliveryOptions.notes,
        ],
        examples: [
            Example(command: "utter outbox", meaning: "How the queue is."),
            Example(command: "date | utter outbox add", meaning: "Queue any text."),
            Example(command: "utter outbox drain --watch", meaning: "Bring whatever comes, for a service."),
        ],
        exitStatuses: [
            ExitStatus(code: .noInput, meaning: "There is no such operation."),
            ExitStatus(code: .tempFail, meaning: "Something could not be brought yet, or another process drains."),
            ExitStatus(code: .noPermission, meaning: "The queue's folder can't be read or written."),
            ExitStatus(code: .ioError, meaning: "Reading or writing failed on the way."),
            ExitStatus(code: .configuration, meaning: "The destinations are wrong, or one that is named is not there."),
        ])
}
