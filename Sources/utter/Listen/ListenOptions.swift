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
        format = arguments[Self.format] ?? .text
        let types = arguments[Self.eventTypes]
        eventTypes = Set(types.isEmpty ? ListenEvent.types : types)
        if !types.isEmpty, format != .jsonl {
            throw arguments.specification.usageError("--event goes with --format jsonl")
        }
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        showsVolatile = arguments[Self.showsVolatile]
        savedAudio = arguments[Self.savedAudio]
        command = arguments[Self.command]
        delivery = DeliveryOptions(arguments)
        duration = arguments[Self.duration]
        longestSilence = arguments[Self.longestSilence]
        alternativeCount = arguments[Self.alternativeCount]
        isQuiet = arguments[Self.isQuiet]
        isVerbose = arguments[Self.isVerbose]
        try arguments.refuse(Self.isQuiet, with: Self.isVerbose)
        try arguments.refuse(Self.isQuiet, with: Self.showsVolatile)
    }
}
