import Models
import Outbox
import Speech

/// Something that can be set in the configuration file or in the environment, or for one run by an option.
struct Setting: Equatable, Sendable {
    var key: String
    /// The option that it sets, without the hyphens.
    var option: String
    /// The commands whose option it sets; nil for all that have the option, empty when there is no such option.
    var commands: [String]?
    var variable: String?
    var kind: ValueKind
    var isList = false
    /// The default, in words.
    var standard: String
    var help: String
    /// The key of a setting that says the same in another way, as the locale does for the model, or an option that contradicts it. The
    /// one of the higher level (option, variable, file) holds.
    var excludes: String?

    /// The option of a command that this setting sets; nil when it sets none.
    func option(of command: CommandSpecification) -> OptionSpecification? {
        if let commands, !commands.contains(command.name) { return nil }
        return command.option(long: option)
    }

    /// Whether the user has typed something that says more exactly what this setting says: the suffix of a file names its format.
    func yields(to arguments: ParsedArguments) -> Bool {
        key == "transcribe-format"
            && arguments[TranscribeOptions.outputFile].flatMap(OutputFormat.init(suffixOf:)) != nil
    }

    /// The key of the setting that names the model of a pass.
    static func model(of pass: RecognitionPass) -> String { pass == .first ? "model" : "second-pass" }

    static func named(_ key: String) -> Setting? { all.first { $0.key == key } }

    /// What is wrong with a key that is that of no setting.
    static func complaint(aboutKey key: String) -> String {
        let near = Suggestion.nearest(to: key, among: all.map(\.key)).map { "; did you mean \($0)?" }
        return "\(key) is not a setting\(near ?? "; utter config shows all")"
    }

    /// A setting of an option, with the same kind of value.
    ///
    /// - Parameter key: the key; nil for the option's name.
    private init(
        _ option: some OptionKey, key: String? = nil, commands: [String]? = nil, variable: String? = nil,
        standard: String, help: String, excludes: String? = nil
    ) {
        let specification = option.specification
        (self.key, self.option) = (key ?? specification.long, specification.long)
        (kind, isList) = (specification.value?.kind ?? .flag, specification.isRepeatable)
        (self.commands, self.variable, self.standard) = (commands, variable, standard)
        (self.help, self.excludes) = (help, excludes)
    }

    /// A setting that is no option.
    private init(key: String, kind: ValueKind, standard: String, help: String) {
        (self.key, self.option, self.kind, self.standard, self.help) = (key, key, kind, standard, help)
        commands = []
    }

    static let all: [Setting] =
        models + speech + [
            Setting(
                CaptureOptions.device, variable: "UTTER_DEVICE", standard: "default", help: "The capture device.",
                excludes: "source"),
            Setting(
                CaptureOptions.deviceRate, standard: "48000", help: "The sample rate to ask the device for, in Hz."),
            Setting(
                CaptureOptions.deviceChannelCount, standard: "the fewest",
                help: "How many channels to ask the device for."),
            Setting(
                CaptureOptions.channels, key: "device-channel", commands: ["memo", "listen", "doctor"], standard: "mix",
                help: "The channel of the device to hear, counted from 1, or mix for all."),
            Setting(
                DeliveryOptions.notes, variable: "UTTER_NOTES", standard: "utter/notes in the XDG data folder",
                help: "The folder of the notes, to which memos go unless a destination of the outbox is named notes."),
            Setting(
                key: "line", kind: .line, standard: LineTemplate.standardText,
                help:
                    "How a line of the note looks: {text}, and {time} and {date} if wanted; not in a vault of the outbox."
            ),
            Setting(
                key: "heading", kind: .heading, standard: "none",
                help:
                    "The heading of the note under which its lines stand, such as ## Memos; not in a vault of the outbox."
            ),
        ] + writing + commandSettings

    private static let models: [Setting] = [
        Setting(
            RecognitionOptions.model, variable: "UTTER_MODEL", standard: "the one for your locale, or the only one",
            help: "libvosk's model: a folder, a name or a part of one, or a locale.", excludes: "locale"),
        Setting(
            RecognitionOptions.locale, standard: "none",
            help: "The language that is spoken, such as en-US, when no model is set.", excludes: "model"),
        Setting(
            SecondPassChoice.option, variable: "UTTER_SECOND_PASS", standard: "the best one for the language",
            help: "The model that decides on the text: a GGUF file, or a name; none for libvosk alone."),
        Setting(
            SecondPassChoice.guess, standard: "the deciding model, and libvosk's where a good one is installed",
            help: "What guesses while you speak: first, second, pauses or none."),
        Setting(
            SecondPassChoice.guessLoad, standard: "36",
            help: "The share of the time in which the deciding model may be guessing while you speak, in percent."),
    ]

    private static let speech: [Setting] = [
        Setting(
            RecognitionOptions.vocabularyFile, standard: "none",
            help: "A file with phrases to listen for, one a line; libvosk alone hears no others."),
        Setting(
            RecognitionOptions.endpointSilence,
            standard: "1.3, and 2 in a memo; with libvosk alone what its model says",
            help: "The pause after which words are final, in seconds."),
    ]

    private static let writing: [Setting] = [
        Setting(
            WritingOptions.rules, variable: "UTTER_RULES", standard: "what each command says",
            help: "Which rules write text without punctuation: numbers, capitals, marks, commands; all or none."),
        Setting(
            WritingOptions.replacements, variable: "UTTER_REPLACEMENTS",
            standard: "replacements.txt beside this file, if it is there",
            help: "A file with what to write for words of your own, a line each; none for no file."),
        Setting(
            WritingOptions.filter, variable: "UTTER_FILTER", standard: "none",
            help: "A command of the shell that each final text goes through."),
    ]

    private static let commandSettings: [Setting] = [
        Setting(
            DeliveryOptions.destinations, key: "memo-to", commands: ["memo"], standard: "all that are configured",
            help: "The destinations of a memo."),
        Setting(
            MemoOptions.savedAudio, key: "memo-save-audio", commands: ["memo", "notes again"], standard: "none",
            help: "The folder in which the sound of each memo is kept."),
        Setting(
            DeliveryOptions.destinations, key: "listen-to", commands: ["listen"], standard: "none",
            help: "The destinations of each utterance that is listened to."),
        Setting(
            DeliveryOptions.destinations, key: "transcribe-to", commands: ["transcribe"], standard: "none",
            help: "The destinations of the text of each file."),
        Setting(
            ListenOptions.format, key: "listen-format", commands: ["listen"], standard: "text",
            help: "What utter listen writes."),
        Setting(
            TranscribeOptions.format, key: "transcribe-format", commands: ["transcribe"], standard: "text",
            help: "What utter transcribe writes where no file's suffix says it."),
        Setting(
            ListenOptions.command, commands: ["listen"], standard: "none",
            help: "The command that utter listen runs for each utterance."),
        Setting(
            ListenOptions.longestSilence, commands: ["listen"], standard: "none",
            help: "How many seconds of silence end utter listen."),
        Setting(
            ListenOptions.showsVolatile, commands: ["listen"], standard: "false",
            help: "Whether utter listen shows on a terminal what is being said.", excludes: "quiet"),
        Setting(
            TranscribeOptions.jobCount, commands: ["transcribe"], standard: "one for each core",
            help: "How many files, or stretches of one, utter transcribe works on at a time."),
    ]
}
