extension CommandSpecification {
    static let doctor = CommandSpecification(
        name: "doctor", runs: DoctorCommand.self,
        abstract: "say what is missing on this machine, and what mends it",
        discussion: [
            "Checks everything that a memo needs, from the recognizer to the notes, and what other commands can use. For each it "
                + "says that it is fine, or what is wrong, with the lines to run (in one shell, from the first to the last) and what "
                + "to do by hand.",
            "The model is loaded, and hears four seconds of a built-in sound, in a process of its own, so that a damaged one that crashes or "
                + "never returns is reported like any other fault. Each line appears as soon as its check has ended.",
            "It listens to the microphone for a moment, and keeps nothing. Folders for notes, and of utter's own, that are missing are created.",
        ],
        options: [
            Flag.json,
            DeliveryOptions.notes.with(help: "Look at this folder of notes, as utter memo --notes would use it."),
        ]
            + CaptureOptions.all + RecognitionOptions.live,
        examples: [
            Example("utter doctor", "Check everything."),
            Example("utter doctor --json | jq -r '.[].mend[].run // empty'", "Only the lines that mend what is wrong."),
        ],
        exitStatuses: [ExitStatus(.unavailable, "A memo would not work: the answer says why.")])
}

struct DoctorCommand: Command {
    // The doctor gets the arguments as they were typed, and checks the settings itself.
    static let takesSettings = false
    let arguments: ParsedArguments

    func run() async throws -> ExitCode {
        let (completed, configuration) = Doctor.complete(arguments)
        let doctor = Doctor(try MemoOptions(completed), Surroundings())
        let isJSON = arguments[Flag.json]
        // The width is known before the first finding, so that each line can be written as soon as its check has ended.
        let width = ([configuration.subject] + Doctor.subjects).map(\.count).max() ?? 0
        var isBroken = false
        var count = 0
        func tell(_ finding: Finding) throws {
            isBroken = isBroken || finding.state == .broken
            try Output.write(isJSON ? (count == 0 ? "[\n" : ",\n") + finding.json : finding.text(subjectWidth: width))
            count += 1
        }
        try tell(configuration)
        try await doctor.examine(tell)
        if isJSON { try Output.write("\n]\n") }
        return isBroken ? .unavailable : .ok
    }
}
