import Audio
import Foundation
import Speech
import TextRules

/// The options of `utter transcribe`, checked for conflicts.
struct TranscribeOptions: Equatable, Sendable {
    /// Where the transcripts are written.
    enum Destination: Equatable, Sendable {
        case standardOutput
        case file(String)
        case folder(String)
    }

    /// The format of input without a header.
    struct Raw: Equatable, Sendable {
        /// The sample rate, in Hz.
        var sampleRate: Int
        var channelCount: Int
    }

    /// The paths of the inputs; `-` is standard input.
    var inputs: [String]
    var format: OutputFormat
    var destination: Destination
    /// Whether to skip inputs whose transcript exists.
    var resumes: Bool
    /// The destinations of each input's text.
    var delivery: DeliveryOptions
    var raw: Raw?
    var channels: ChannelSelection
    /// Whether each channel is transcribed on its own.
    var splitsChannels: Bool
    var recognition: RecognitionOptions
    var writing: WritingOptions
    /// The number of alternatives of each result; nil for none.
    var alternativeCount: Int?
    var jobCount: Int
    var isQuiet: Bool
    var isVerbose: Bool
    var endpointing: Endpointing { recognition.endpointing }

    /// The standard writing rules. Without marks, for speakers in a recording do not dictate: a spoken "comma" is a word.
    static let standardRules: Set<TextRules.Rule> = [.numbers, .capitals]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        inputs = arguments.operands
        format = arguments[Self.format] ?? arguments[Self.outputFile].flatMap(OutputFormat.init(suffixOf:)) ?? .text
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        alternativeCount = arguments[Self.alternativeCount]
        isVerbose = arguments[Self.isVerbose]
        jobCount = arguments[Self.jobCount] ?? ProcessInfo.processInfo.activeProcessorCount
        isQuiet = arguments[Flag.quiet]
        resumes = arguments[Self.resumes]
        delivery = DeliveryOptions(arguments)
        destination =
            if let folder = arguments[Self.outputFolder] {
                .folder(folder)
            } else if let file = arguments[Self.outputFile], file != "-" {
                .file(file)
            } else {
                .standardOutput
            }
        channels = arguments[Self.channels] ?? .mix
        splitsChannels = arguments[Self.splitsChannels]
        if arguments[Self.isRaw], let rate = arguments[Self.rawRate] {
            raw = Raw(sampleRate: rate, channelCount: arguments[Self.rawChannelCount] ?? 1)
        }
        try check(arguments)
    }

    /// Whether several recordings follow each other in one output, which then names each.
    var namesFiles: Bool { inputs.count > 1 && destination.isOne }

    /// The name of the transcript of `input` in an output folder.
    func outputName(for input: String) -> String {
        let name = input == "-" ? "stdin" : input.split(separator: "/").last.map(String.init) ?? input
        // A leading dot does not begin an extension: `.wav` keeps its name.
        let stem =
            if let dot = name.lastIndex(of: "."), dot != name.startIndex { String(name[..<dot]) } else { name }
        return "\(stem).\(format.fileExtension)"
    }

    private func check(_ arguments: ParsedArguments) throws(UsageError) {
        func refuse(_ message: String) throws(UsageError) -> Never {
            throw arguments.specification.usageError(message)
        }
        try arguments.refuse(Flag.quiet, with: Self.isVerbose)
        try arguments.refuse(Self.outputFile, with: Self.outputFolder)
        try arguments.refuse(Self.channels, with: Self.splitsChannels)
        if arguments[Self.isRaw], raw == nil {
            try refuse("--raw needs --rate: how many samples a second the input has")
        }
        for option in [Self.rawRate, Self.rawChannelCount] where arguments.has(option) && raw == nil {
            try refuse("--\(option.specification.long) is only for input without a header; add --raw")
        }
        if let raw, case .channel(let channel) = channels, channel >= raw.channelCount {
            try refuse("--channel \(channel + 1) is more than the input's channels, \(raw.channelCount)")
        }
        if resumes, !arguments.has(Self.outputFolder) {
            try refuse("--resume needs --output-dir: it skips inputs whose transcript exists")
        }
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
