import Foundation
import TextRules

/// The options of `utter listen`, checked for conflicts.
struct ListenOptions: Equatable, Sendable {
    /// A source of sound that has a name.
    struct Source: Equatable, Sendable {
        var name: String
        /// The ALSA name of the device.
        var device: String
    }

    private let arguments: ParsedArguments
    var format: OutputFormat { arguments[Self.format] ?? .text }
    /// The types of the events that jsonl writes.
    var eventTypes: Set<String>
    var capture: CaptureOptions
    /// The sources that are heard at the same time; none for one device without a name.
    var sources: [Source]
    var recognition: RecognitionOptions
    var writing: WritingOptions { WritingOptions(arguments) }
    var showsVolatile: Bool { arguments[Self.showsVolatile] }
    /// The path of the WAV file for the sound; nil for none.
    var savedAudio: String? { arguments[Self.savedAudio] }
    /// The shell command for each utterance; nil for none.
    var command: String?
    var delivery: DeliveryOptions { DeliveryOptions(arguments) }
    /// How long to listen, in seconds; nil without a limit.
    var duration: Double? { arguments[Self.duration] }
    /// The silence that ends the command, in seconds; nil for none.
    var longestSilence: Double?
    /// The number of alternatives of each result; nil for none.
    var alternativeCount: Int? { arguments[Self.alternativeCount] }
    var isQuiet: Bool { arguments[Self.isQuiet] }
    var isVerbose: Bool { arguments[Self.isVerbose] }

    /// The standard writing rules. Rules that change earlier text are left out, for printed text can't be changed.
    static let standardRules: Set<TextRules.Rule> = [.numbers, .capitals, .marks]

    /// The standard writing rules of text that is typed into a window, where what was typed can be erased.
    static let typingRules = standardRules.union([.commands])

    /// The writing rules of these options, when the user has chosen none. Who talks with others does not dictate.
    var usualRules: Set<TextRules.Rule> { sources.isEmpty ? Self.standardRules : TranscribeOptions.standardRules }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        let types = arguments[Self.eventTypes]
        eventTypes = Set(types.isEmpty ? ListenEvent.types : types)
        if !types.isEmpty, arguments[Self.format] != .jsonl {
            throw arguments.specification.usageError("--event goes with --format jsonl")
        }
        capture = try CaptureOptions(arguments)
        sources = try Self.sources(arguments)
        recognition = try RecognitionOptions(arguments)
        let ending = arguments[Self.savedAudio].map { ($0 as NSString).pathExtension.lowercased() } ?? ""
        if Self.otherSounds.contains(ending) {
            throw arguments.specification.usageError("--save-audio writes WAV; name the file .wav, not .\(ending)")
        }
        command = arguments[Self.command]
        longestSilence = arguments[Self.longestSilence]
        try arguments.refuse(Self.isQuiet, with: Self.isVerbose)
        try arguments.refuse(Self.isQuiet, with: Self.showsVolatile)
    }

    /// The endings of files with sound that are no WAV files.
    private static let otherSounds = [
        "aac", "aiff", "flac", "m4a", "mka", "mp3", "mp4", "oga", "ogg", "opus", "webm", "wma",
    ]

    private static func sources(_ arguments: ParsedArguments) throws(UsageError) -> [Source] {
        func refuse(_ message: String) throws(UsageError) -> Never {
            throw arguments.specification.usageError(message)
        }
        try arguments.refuse(Self.namedSources, with: CaptureOptions.device)
        var sources: [Source] = []
        for text in arguments[Self.namedSources] {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0].singleLine.trimmingCharacters(in: .whitespaces)
            guard parts.count == 2, !name.isEmpty, !parts[1].isEmpty else {
                try refuse("--source \(text): write it as NAME=DEVICE, such as me=default or them=monitor")
            }
            if sources.contains(where: { $0.name == name }) { try refuse("--source: two sources are called \(name)") }
            if let other = sources.first(where: { $0.name.lowercased() == name.lowercased() }) {
                try refuse("--source: the names \(other.name) and \(name) differ only in case; choose another")
            }
            let device = CaptureOptions.device(parts[1])
            if let other = sources.first(where: { CaptureOptions.device($0.device) == device }) {
                try refuse(
                    "--source: \(other.name) and \(name) are the same device, \(parts[1]), so each line would come twice; "
                        + "utter devices lists all")
            }
            sources.append(Source(name: name, device: parts[1]))
        }
        if sources.count > 64 { try refuse("--source: no more than 64 sources can be heard") }
        return sources
    }
}
