import Foundation
import Outbox
import TextRules

struct MemoOptions: Equatable, Sendable {
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var writing: WritingOptions
    var delivery: DeliveryOptions
    /// The absolute path of the folder for the sound; nil when the sound is not saved.
    var soundFolder: String?
    /// The text rules without an option: all of them, since a user who dictates means spoken marks and commands as such.
    static let standardRules = Set(TextRules.Rule.allCases)
    var notes: MarkdownVault.Location { delivery.notes }

    init(
        _ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageError) {
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        delivery = DeliveryOptions(arguments, environment: environment)
        soundFolder = try Self.soundFolder(arguments)
    }

    /// The absolute path of the folder in `--save-audio`; nil without the option, or when it is `none`.
    static func soundFolder(_ arguments: ParsedArguments) throws(UsageError) -> String? {
        guard let name = arguments[savedAudio], name != "none" else { return nil }
        let folder = URL(fileURLWithPath: name).standardizedFileURL
        // Whoever gives a file would get a folder of that name.
        if folder.pathExtension.lowercased() == "wav", !folder.hasDirectoryPath {
            throw arguments.specification.usageError(
                "--save-audio can't be '\(name)': give a folder, in which each memo has a file of its own")
        }
        return folder.path
    }

    static let savedAudio = Option<String>(
        "save-audio", "DIR", .folder,
        help:
            "Keep the sound of the memo in DIR, which is made where it is missing: a WAV file that is called by the note's day and the "
            + "memo's mark in the note. A memo that is discarded, or in which nothing was said, leaves no file. none for no sound."
    )
}
