import TextRules

/// The options of `utter listen`, checked for conflicts.
struct ListenOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text
        case jsonl
    }

    var format: Format
    /// The types of the events that jsonl writes.
    var eventTypes: Set<String>
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var writing: WritingOptions
    var showsVolatile: Bool
    /// The path of the WAV file for the sound; nil for none.
    var savedAudio: String?
    /// The shell command for each utterance; nil for none.
    var command: String?
    /// The destinations of each utterance.
    var delivery: DeliveryOptions
    /// How long to listen, in seconds; nil without a limit.
    var duration: Double?
    /// The silence that ends the command, in seconds; nil for none.
    var longestSilence: Double?
    /// The number of alternatives of each result; nil for none.
    var alternativeCount: Int?
    var isQuiet: Bool
    var isVerbose: Bool

    /// The standard writing rules. Rules that change earlier text are left out, for printed text can't be changed.
    static let standardRules: Set<TextRules.Rule> = [.numbers, .capitals, .marks]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        format = arguments.string("format").flatMap(Format.init) ?? .text
        let types = arguments.strings("event")
        eventTypes = Set(types.isEmpty ? ListenEvent.types : types)
        if !types.isEmpty, format != .jsonl { throw arguments.specification.usageError("--event goes with --format jsonl") }
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        showsVolatile = arguments.has("volatile")
        savedAudio = arguments.string("save-audio")
        command = arguments.string("exec")
        delivery = DeliveryOptions(arguments)
        duration = arguments.number("for")
        longestSilence = arguments.number("until-silence")
        alternativeCount = arguments.integer("alternatives")
        isQuiet = arguments.has("quiet")
        isVerbose = arguments.has("verbose")
        try arguments.refuse("quiet", with: "verbose")
        try arguments.refuse("quiet", with: "volatile")
    }
}
