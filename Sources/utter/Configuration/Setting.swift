/// Something that can be set once for all commands: in the configuration file, in the environment, or for one run by an option
/// of the same name.
struct Setting: Equatable, Sendable {
    /// In the configuration file, and the option without its hyphens.
    var key: String
    var variable: String?
    var kind: ValueKind
    /// What holds when nobody sets it, in words.
    var standard: String
    var help: String
    /// Another setting that says the same in another way: who sets this one more strongly does not want that one.
    var excludes: String?

    static let all: [Setting] = [
        Setting(
            key: "model", variable: "UTTER_MODEL", kind: .model(.first), standard: "the built-in model",
            help: "The model: a folder, or the name of an installed one.", excludes: "locale"),
        Setting(
            key: "locale", kind: .text, standard: "none",
            help: "The language that is spoken, such as en-US, when no model is set.", excludes: "model"),
        Setting(
            key: "second-pass", variable: "UTTER_SECOND_PASS", kind: .model(.second), standard: "the one that is there",
            help: "The model that writes the final text: a GGUF file, or a name; none for the first pass alone."),
        Setting(
            key: "vocabulary", kind: .file, standard: "none",
            help: "A file with phrases to listen for, one a line; without a second pass no others are heard."),
        Setting(
            key: "endpoint-silence", kind: .number(0.1...10), standard: "what the model says",
            help: "How long a pause ends an utterance, in seconds."),
        Setting(
            key: "device", variable: "UTTER_DEVICE", kind: .text, standard: "default", help: "The capture device."),
        Setting(
            key: "device-rate", kind: .integer(1000...768_000), standard: "48000",
            help: "The sample rate to ask the device for, in Hz."),
        Setting(
            key: "device-channels", kind: .integer(1...64), standard: "the fewest",
            help: "How many channels to ask the device for."),
        Setting(
            key: "notes", variable: "UTTER_NOTES", kind: .folder, standard: "utter/notes in the XDG data folder",
            help: "The folder of the notes."),
    ]
}
