import TextRules

/// What `utter listen` was asked for, with the rules between options checked.
struct ListenOptions: Equatable, Sendable {
    enum Format: String, CaseIterable, Sendable {
        case text
        case jsonl
    }

    var format: Format
    /// Those that jsonl has.
    var eventTypes: Set<String>
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var writing: WritingOptions
    var showsVolatile: Bool
    /// A path.
    var savedAudio: String?
    /// For the shell.
    var command: String?
    /// Where each utterance goes as well.
    var delivery: DeliveryOptions
    /// In seconds.
    var duration: Double?
    /// In seconds.
    var longestSilence: Double?
    /// How many readings a result carries; nil when none beside the text were asked for.
    var alternativeCount: Int?
    var isQuiet: Bool
    var isVerbose: Bool

    /// What has been printed can't be taken back.
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
