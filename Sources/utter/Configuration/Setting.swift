import Models
import Outbox
import Speech

/// Something that can be set in the configuration file or in the environment, or for one run by an option.
struct Setting: Equatable, Sendable {
    var key: String
    /// The option that it sets, without the hyphens; nil when the option's name is the key.
    var otherOption: String?
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

    var option: String { otherOption ?? key }

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

    static let all: [Setting] =
        models + speech + [
            Setting(
                key: "device", variable: "UTTER_DEVICE", kind: .device, standard: "default",
                help: "The capture device.",
                excludes: "source"),
            Setting(
                key: "device-rate", kind: .integer(1000...768_000), standard: "48000",
                help: "The sample rate to ask the device for, in Hz."),
            Setting(
                key: "device-channels", kind: .integer(1...64), standard: "the fewest",
                help: "How many channels to ask the device for."),
            Setting(
                key: "device-channel", otherOption: "channel", commands: ["memo", "listen", "doctor"], kind: .channel,
                standard: "mix",
                help: "The channel of the device to hear, counted from 1, or mix for all."),
            Setting(
                key: "notes", variable: "UTTER_NOTES", kind: .folder, standard: "utter/notes in the XDG data folder",
                help: "The folder of the notes, to which memos go unless a destination of the outbox is named notes."),
            Setting(
                key: "line", commands: [], kind: .line, standard: LineTemplate.standardText,
                help:
                    "How a line of the note looks: {text}, and {time} and {date} if wanted; not in a vault of the outbox."
            ),
            Setting(
                key: "heading", commands: [], kind: .heading, standard: "none",
                help:
                    "The heading of the note under which its lines stand, such as ## Memos; not in a vault of the outbox."
            ),
        ] + writing + commandSettings

    private static let models: [Setting] = [
        Setting(
            key: "model", variable: "UTTER_MODEL", kind: .model(.first),
            standard: "the one for your locale, or the only one",
            help: "libvosk's model: a folder, a name or a part of one, or a locale.", excludes: "locale"),
        Setting(
            key: "locale", kind: .locale, standard: "none",
            help: "The language that is spoken, such as en-US, when no model is set.", excludes: "model"),
        Setting(
            key: "second-pass", variable: "UTTER_SECOND_PASS", kind: .model(.second),
            standard: "the best one for the language",
            help: "The model that decides on the text: a GGUF file, or a name; none for libvosk alone."),
        Setting(
            key: "guess", kind: .choice(RecognitionPlan.Guess.allCases.map(\.rawValue)),
            standard: "the deciding model, and libvosk's where a good one is installed",
            help: "What guesses while you speak: first, second, pauses or none."),
        Setting(
            key: "guess-load", kind: .integer(5...100), standard: "36",
            help: "The share of the time in which the deciding model may be guessing while you speak, in percent."),
    ]

    private static let speech: [Setting] = [
        Setting(
            key: "vocabulary", kind: .file, standard: "none",
            help: "A file with phrases to listen for, one a line; libvosk alone hears no others."),
        Setting(
            key: "endpoint-silence", kind: .number(0.1...10), standard: "1.3; with libvosk alone what its model says",
            help: "The pause after which words are final, in seconds."),
    ]

    private static let writing: [Setting] = [
        Setting(
            key: "rules", variable: "UTTER_RULES", kind: .rules, standard: "what each command says",
            help: "Which rules write text without punctuation: numbers, capitals, marks, commands; all or none."),
        Setting(
            key: "replacements", variable: "UTTER_REPLACEMENTS", kind: .fileOrNone,
            standard: "replacements.txt beside this file, if it is there",
            help: "A file with what to write for words of your own, a line each; none for no file."),
        Setting(
            key: "filter", variable: "UTTER_FILTER", kind: .text, standard: "none",
            help: "A command of the shell that each final text goes through."),
    ]

    private static let commandSettings: [Setting] = [
        Setting(
            key: "memo-to", otherOption: "to", commands: ["memo"], kind: .destination, isList: true,
            standard: "all that are configured",
            help: "The destinations of a memo."),
        Setting(
            key: "memo-save-audio", otherOption: "save-audio", commands: ["memo", "notes again"], kind: .folder,
            standard: "none",
            help: "The folder in which the sound of each memo is kept."),
        Setting(
            key: "listen-to", otherOption: "to", commands: ["listen"], kind: .destination, isList: true,
            standard: "none",
            help: "The destinations of each utterance that is listened to."),
        Setting(
            key: "transcribe-to", otherOption: "to", commands: ["transcribe"], kind: .destination, isList: true,
            standard: "none",
            help: "The destinations of the text of each file."),
        Setting(
            key: "listen-format", otherOption: "format", commands: ["listen"],
            kind: .choice(OutputFormat.allCases.map(\.rawValue)), standard: "text",
            help: "What utter listen writes."),
        Setting(
            key: "transcribe-format", otherOption: "format", commands: ["transcribe"],
            kind: .list(OutputFormat.allCases.map(\.rawValue), alone: []), standard: "text",
            help: "What utter transcribe writes where no file's suffix says it."),
        Setting(
            key: "exec", commands: ["listen"], kind: .text, standard: "none",
            help: "The command that utter listen runs for each utterance."
        ),
        Setting(
            key: "until-silence", commands: ["listen"], kind: .number(0.1...100_000), standard: "none",
            help: "How many seconds of silence end utter listen."),
        Setting(
            key: "volatile", commands: ["listen"], kind: .flag, standard: "false",
            help: "Whether utter listen shows on a terminal what is being said.", excludes: "quiet"),
        Setting(
            key: "jobs", commands: ["transcribe"], kind: .integer(1...64), standard: "one for each core",
            help: "How many files, or stretches of one, utter transcribe works on at a time."),
    ]
}
