extension CommandSpecification {
    static let doctor = CommandSpecification(
        name: "doctor",
        abstract: "say what is missing on this machine, and what mends it",
        discussion: [
            "Looks at everything that a memo needs, from the recognizer to the notes, and at what other commands can use. For each it "
                + "says that it is fine, or what is wrong, with the lines to run (in one shell, from the first to the last) and what "
                + "is to be done by hand.",
            "It listens to the microphone for a moment, and keeps nothing. Folders of utter's own that are not there yet are made.",
        ],
        options: [
            .flag("json", help: "Write JSON."),
            .value("notes", "DIR", .folder, help: "Look at this folder of notes, as utter memo --notes would use it."),
        ] + CaptureOptions.specifications + RecognitionOptions.specifications,
        examples: [
            Example(command: "utter doctor", meaning: "Check everything."),
            Example(
                command: "utter doctor --json | jq -r '.[].mend[].run // empty'", meaning: "Only the lines that mend what is wrong."),
        ],
        exitStatuses: [ExitStatus(code: .unavailable, meaning: "A memo would not work: the answer says why.")])
}

/// Carries out `utter doctor`.
///
/// - Parameter arguments: as they were typed: what is wrong with the settings is the doctor's to say.
func runDoctor(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting {
        let (completed, configuration) = ConfigurationCheck.complete(arguments)
        let findings = [configuration] + (await Doctor(try MemoOptions(completed), Surroundings()).examine())
        if arguments.has("json") {
            try Output.write("[\n" + findings.map(\.json).joined(separator: ",\n") + "\n]\n")
        } else {
            let width = findings.map(\.subject.count).max() ?? 0
            try Output.write(findings.map { $0.text(subjectWidth: width) }.joined())
        }
        return findings.contains { $0.state == .broken } ? .unavailable : .ok
    }
}
