extension CommandSpecification {
    static let listen = CommandSpecification(
        name: "listen", runs: ListenCommand.self,
        abstract: "turn speech from the microphone into lines",
        discussion: [
            "Listens to the microphone and prints each sentence as a line as soon as its text is final, until interrupted. A long pause ends "
                + "a line as well. The first word is caught even while the model still loads, and an interrupt keeps the last one. What is "
                + "printed is never taken back.",
            "An interrupt waits until all is decoded. A second one doesn't: of the rest, what was guessed is printed, and speech without a "
                + "guess is an error. Where libvosk decides, it waits too, and a third ends it.",
            "Text goes to standard output; warnings and errors go to standard error. When that is a terminal, a line there shows what the "
                + "command is doing, and how loud the sound is.",
        ],
        options: ListenOptions.output + DeliveryOptions.all(of: "each utterance") + ListenOptions.end
            + ListenOptions.sound
            + RecognitionOptions.live + WritingOptions.all(standard: ListenOptions.standardRules) + ListenOptions.talk,
        examples: [
            Example("utter listen", "Print what is said until Ctrl-C."),
            Example("utter listen --until-silence 3 >> notes.txt", "Take a note; three quiet seconds end it."),
            Example("utter listen --exec 'notify-send -- \"$(cat)\"'", "Show every line as a notification."),
            Example("utter listen --save-audio talk.wav", "Keep the sound of a meeting as well, for utter transcribe."),
            Example(
                "utter listen --source me=default --source them=monitor > call.txt",
                "Write down a call, with the names of both sides."),
            Example("utter listen --endpoint-silence 2.5", "Wait longer at pauses, for slow speakers."),
            Example(
                "utter listen -f jsonl | (trap '' INT; jq -r 'select(.type == \"final\").text')",
                "Follow the events in a program."),
        ],
        exitStatuses: RecognitionOptions.wordFileStatuses + [
            ExitStatus(.unavailable, "There is no such microphone, or no such model."),
            ExitStatus(.software, "Some speech could not be decoded, or was not waited for; all else is written."),
            ExitStatus(.osError, "The system is out of memory or open files."),
            ExitStatus(.cannotCreate, "The file for the sound can't be created."),
            ExitStatus(
                .ioError,
                "The microphone was unplugged, sound was lost, writing failed, or a command of --exec did; all else is written."
            ),
            ExitStatus(.tempFail, "Another program uses the microphone."),
            ExitStatus(.noPermission, "This user may not open the microphone, or create the file for the sound."),
            ExitStatus(.configuration, "There is no such destination, or the model can't listen for the given words."),
            ExitStatus(.hungUp, "Ended by SIGHUP; what was heard until then is written."),
            ExitStatus(.unread, "The reader of the output left before all that was said was written."),
            ExitStatus(.terminated, "Ended by SIGTERM; what was heard until then is written."),
        ])
}

extension ListenOptions {
    fileprivate static let output: [any OptionKey] = [format, eventTypes, showsVolatile, savedAudio, command]
    fileprivate static let sound: [any OptionKey] = [namedSources] + CaptureOptions.all
    fileprivate static let end: [any OptionKey] = [duration, longestSilence]
    fileprivate static let talk: [any OptionKey] = [alternativeCount, isQuiet, isVerbose]

    static let format = Option<OutputFormat>(
        "format", short: "f", "FORMAT",
        help:
            "What to write: text (a sentence a line; the default), jsonl (an event a line: status, volatile, final, level, "
            + "loss, end), or another format of utter transcribe.")
    static let eventTypes = RepeatableOption(
        "event", "TYPE", .choice(ListenEvent.types), help: "Leave all events out of jsonl but those of this type.")
    static let showsVolatile = Flag(
        "volatile", help: "Show the guess at speech that is not final on standard error, when that is a terminal.")
    static let namedSources = RepeatableOption(
        "source", "NAME=DEVICE", .text,
        help:
            "Hear DEVICE, and call it NAME. Given several times, hear all at once, each on its own, in one transcript in the "
            + "order of time, on one clock. The device monitor is what others say: the sound that this machine plays.")
    static let savedAudio = Option<String>(
        "save-audio", "FILE", .file,
        help:
            "Keep what is heard in FILE, a new WAV file, which can be read at any moment. Several sources are its channels."
    )
    static let command = Option<String>(
        "exec", "COMMAND", .text,
        help:
            "Run COMMAND with sh for each utterance, one after another, with the utterance and a newline on its standard input, and "
            + "UTTER_ID and UTTER_TIME in its environment, and UTTER_SPEAKER where sources have names.")
    static let duration = Option<Double>("for", "SECONDS", 0.1...10_000_000, help: "Listen for so long.")
    static let longestSilence = Option<Double>(
        "until-silence", "SECONDS", 0.1...100_000, help: "End when nobody has spoken for so long.")
    static let alternativeCount = Option<Int>(
        "alternatives", "N", 1...10,
        help: "Add the N best readings of each utterance, from 1 to 10, to jsonl. libvosk decides then.")
    static let isQuiet = Flag.quiet.with(help: "No status line and no warnings; errors are still reported.")
    static let isVerbose = Flag(
        "verbose", short: "v",
        help:
            "Show who cuts, guesses and decides, libvosk's own log, the device's format, and at the end where every sample went and how many "
            + "utterances have text, have none, or are lost.")
}
