import Audio
import Foundation
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

    private let arguments: ParsedArguments
    /// The paths of the inputs; `-` is standard input.
    var inputs: [String]
    /// The file with the paths of more inputs; `-` is standard input.
    var inputList: String? { arguments[Self.inputList] }
    /// The formats of each transcript: one, or several in a folder.
    var formats: [OutputFormat]
    var destination: Destination
    /// Whether to skip inputs whose transcript exists.
    var resumes: Bool { arguments[Self.resumes] }
    /// The destinations of each input's text.
    var delivery: DeliveryOptions { DeliveryOptions(arguments) }
    var raw: Raw?
    var channels: ChannelSelection { arguments[Self.channels] ?? .mix }
    /// Whether each channel is transcribed on its own.
    var splitsChannels: Bool { arguments[Self.splitsChannels] }
    /// The names of the channels, in their order; empty where those of each file count.
    var channelNames: [String] = []
    /// Whether the one table for several recordings has a column for the names of who speaks.
    var tableNamesSpeakers = false
    var recognition: RecognitionOptions
    var writing: WritingOptions { WritingOptions(arguments) }
    /// The number of alternatives of each result; nil for none.
    var alternativeCount: Int? { arguments[Self.alternativeCount] }
    var jobCount: Int { arguments[Self.jobCount] ?? ProcessInfo.processInfo.activeProcessorCount }
    var isQuiet: Bool { arguments[Flag.quiet] }
    var isVerbose: Bool { arguments[Self.isVerbose] }

    /// The standard writing rules. Without marks, for speakers in a recording do not dictate: a spoken "comma" is a word.
    static let standardRules: Set<TextRules.Rule> = [.numbers, .capitals]

    /// The names of standard output. A file that it is redirected to must not be replaced.
    private static let standardOutputNames = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        inputs = arguments.operands
        formats =
            arguments[Self.format] ?? arguments[Self.outputFile].flatMap(OutputFormat.init(suffixOf:)).map { [$0] } ?? [
                .text
            ]
        recognition = try RecognitionOptions(arguments)
        destination =
            if let folder = arguments[Self.outputFolder] {
                .folder(folder)
            } else if let file = arguments[Self.outputFile], !Self.standardOutputNames.contains(file) {
                .file(file)
            } else {
                .standardOutput
            }
        channelNames = arguments[Self.channelNames].map { ValueKind.parts(of: $0).map(\.singleLine) } ?? []
        tableNamesSpeakers = !channelNames.isEmpty
        if arguments[Self.isRaw], let rate = arguments[Self.rawRate] {
            raw = Raw(sampleRate: rate, channelCount: arguments[Self.rawChannelCount] ?? 1)
        }
        try check()
    }

    /// The format of the one output that there is for all transcripts.
    var format: OutputFormat { formats[0] }

    /// Whether several recordings follow each other in one output, which then names each.
    var namesFiles: Bool { inputs.count > 1 && destination.isOne }

    /// The names of the files with each input's transcript in an output folder, by the format's place in `formats`.
    var outputNames: [[String]] {
        OutputNames.names(for: inputs).map { name in formats.map { "\(name).\($0.fileExtension)" } }
    }

    /// The options with the recordings that the inputs stand for: those in folders and in the list.
    ///
    /// - Throws: `UsageError` when the outputs can't hold so many, and the errors of reading the list.
    func withRecordings(_ interruption: Interruption, remark: (String) -> Void) throws -> TranscribeOptions {
        let list = try InputList(inputs, list: inputList, interruption: interruption)
        list.remarks.forEach(remark)
        if list.inputs.isEmpty, let inputList, !interruption.hasEndedInput {
            throw CommandError("\(inputList == "-" ? "standard input" : inputList) lists no recording", .noInput)
        }
        var options = self
        options.inputs = list.inputs
        try options.checkInputs()
        // The head of that table is written before any of them is read.
        if splitsChannels, options.format == .tsv, options.namesFiles {
            options.tableNamesSpeakers =
                tableNamesSpeakers
                || options.inputs.contains {
                    InputFile(path: $0, raw: raw, interruption: interruption).hasChannelNames
                }
        }
        return options
    }

    private func check() throws(UsageError) {
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
        try checkNames()
        if resumes, !arguments.has(Self.outputFolder) {
            try refuse("--resume needs --output-dir: it skips inputs whose transcript exists")
        }
        if formats.count > 1, !arguments.has(Self.outputFolder) {
            try refuse("several formats need --output-dir DIR, where each has a file of its own")
        }
        if case .file(let file) = destination, !arguments.has(Self.format),
            let ending = OutputFormat.foreignEnding(of: file)
        {
            try refuse(
                "--output \(file): utter does not write .\(ending); choose one of its formats with --format, or by the suffix "
                    + ValueKind.list(OutputFormat.allCases.map { "." + $0.fileExtension }))
        }
        if inputs.isEmpty, inputList == nil { try refuse("a FILE is missing; - is standard input") }
        if inputs.contains("-"), inputList == "-" {
            try refuse("- (standard input) can't be both a recording and a list")
        }
        try checkInputs()
    }

    private func refuse(_ message: String) throws(UsageError) -> Never {
        throw CommandSpecification.transcribe.usageError(message)
    }

    /// Refuses names that do not tell the channels apart.
    private func checkNames() throws(UsageError) {
        if channelNames.isEmpty { return }
        if !splitsChannels { try refuse("--names is for channels that are transcribed apart; add --split-channels") }
        if channelNames.contains("") { try refuse("--names has an empty name") }
        if let twice = channelNames.first(where: { name in channelNames.count { $0 == name } > 1 }) {
            try refuse("--names has '\(twice)' twice")
        }
    }

    /// Refuses inputs that do not fit the outputs.
    private func checkInputs() throws(UsageError) {
        if inputs.filter({ $0 == "-" }).count > 1 { try refuse("- (standard input) can be given only once") }
        if inputs.count > 1, !format.holdsSeveralFiles, destination.isOne {
            try refuse(
                "\(format.rawValue) holds one recording, and \(inputs.count) files are given; write each to its own "
                    + "file with --output-dir DIR")
        }
    }
}

extension TranscribeOptions.Destination {
    /// Whether all transcripts go to one place, one after another.
    fileprivate var isOne: Bool {
        if case .folder = self { false } else { true }
    }
}
