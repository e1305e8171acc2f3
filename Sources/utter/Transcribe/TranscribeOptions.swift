import Speech
import TextRules

/// What `utter transcribe` was asked for, with the rules between options checked.
struct TranscribeOptions: Equatable, Sendable {
    enum Destination: Equatable, Sendable {
        case standardOutput
        case file(String)
        case folder(String)
    }

    enum Channels: Equatable, Sendable {
        case mix
        /// Counted from 1.
        case one(Int)
        /// Each on its own.
        case split
    }

    /// The layout of input without a header.
    struct Raw: Equatable, Sendable {
        /// In Hz.
        var sampleRate: Int
        var channelCount: Int
    }

    /// Paths; `-` is standard input.
    var inputs: [String]
    var format: OutputFormat
    var destination: Destination
    /// Whether inputs whose transcript is there are left out.
    var resumes: Bool
    /// Where the text of each input goes as well.
    var delivery: DeliveryOptions
    var raw: Raw?
    var channels: Channels
    var recognition: RecognitionOptions
    var writing: WritingOptions
    /// How many readings a result carries; nil when none beside the text were asked for.
    var alternativeCount: Int?
    var jobCount: Int
    var isQuiet: Bool
    var isVerbose: Bool
    var endpointing: Endpointing { recognition.endpointing }

    /// Who speaks in a recording speaks to people: a comma that is said there is a word.
    static let standardRules: Set<TextRules.Rule> = [.numbers, .capitals]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.operands
        let named = arguments.string("format").flatMap(OutputFormat.init(rawValue:))
        format = named ?? arguments.string("output").flatMap(OutputFormat.init(suffixOf:)) ?? .text
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        alternativeCount = arguments.integer("alternatives")
        isVerbose = arguments.has("verbose")
        jobCount = arguments.integer("jobs") ?? 1
        isQuiet = arguments.has("quiet")
        resumes = arguments.has("resume")
        delivery = DeliveryOptions(arguments)
        destination =
            if let folder = arguments.string("output-dir") {
                .folder(folder)
            } else if let file = arguments.string("output"), file != "-" {
                .file(file)
            } else {
                .standardOutput
            }
        channels =
            if arguments.has("split-channels") {
                .split
            } else if let channel = arguments.integer("channel") {
                .one(channel)
            } else {
                .mix
            }
        if arguments.has("raw"), let rate = arguments.integer("rate") {
            raw = Raw(sampleRate: rate, channelCount: arguments.integer("channels") ?? 1)
        }
        try check(arguments)
    }

    /// Whether several recordings follow each other in one output, which then says whose text it is.
    var namesFiles: Bool { inputs.count > 1 && destination.isOne }

    /// Where the transcript of `input` goes inside an output folder.
    func outputName(for input: String) -> String {
        let name = input == "-" ? "stdin" : input.split(separator: "/").last.map(String.init) ?? input
        // A leading dot is no extension: `.wav` keeps its name.
        let stem =
            if let dot = name.lastIndex(of: "."), dot != name.startIndex { String(name[..<dot]) } else { name }
        return "\(stem).\(format.fileExtension)"
    }

    private func check(_ arguments: ParsedArguments) throws(UsageError) {
        func refuse(_ message: String) throws(UsageError) -> Never {
            throw arguments.specification.usageError(message)
        }
        try arguments.refuse("quiet", with: "verbose")
        try arguments.refuse("output", with: "output-dir")
        try arguments.refuse("channel", with: "split-channels")
        if arguments.has("raw"), raw == nil {
            try refuse("--raw needs --rate: how many samples a second the input has")
        }
        for option in ["rate", "channels"] where arguments.has(option) && raw == nil {
            try refuse("--\(option) is only for input without a header; add --raw")
        }
        if let raw, case .one(let channel) = channels, channel > raw.channelCount {
            try refuse("--channel \(channel) is more than the input's channels, \(raw.channelCount)")
        }
        if resumes, !arguments.has("output-dir") { try refuse("--resume needs --output-dir: what is there tells what is done") }
        if inputs.filter({ $0 == "-" }).count > 1 { try refuse("- (standard input) can be given only once") }
        if inputs.count > 1, !format.holdsSeveralFiles, destination.isOne {
            try refuse(
                "\(format.rawValue) holds one recording, and \(inputs.count) files are given; write each to its own "
                    + "file with --output-dir DIR")
        }
        if case .folder = destination {
            var owners: [String: String] = [:]
            for input in inputs {
                let name = outputName(for: input)
                if let owner = owners.updateValue(input, forKey: name) {
                    try refuse("'\(owner)' and '\(input)' would both be written to \(name) by --output-dir")
                }
            }
        }
    }
}

extension TranscribeOptions.Destination {
    /// Whether all transcripts go to one place, one after another.
    fileprivate var isOne: Bool {
        if case .folder = self { false } else { true }
    }
}
