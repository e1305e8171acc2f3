import Foundation
import Outbox
import TextRules

/// What `utter memo` was asked for.
struct MemoOptions: Equatable, Sendable {
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var writing: WritingOptions
    var delivery: DeliveryOptions
    /// Where the sound is kept, from the root on; nil for nowhere.
    var soundFolder: String?
    /// Who speaks a memo speaks to it.
    static let standardRules = Set(TextRules.Rule.allCases)
    /// Where the notes are.
    var notes: MarkdownVault.Location { delivery.notes }

    init(
        _ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageError) {
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        writing = WritingOptions(arguments)
        delivery = DeliveryOptions(arguments, environment: environment)
        soundFolder = Self.soundFolder(arguments)
    }

    /// - Returns: the folder of `--save-audio`, from the root on.
    static func soundFolder(_ arguments: ParsedArguments) -> String? {
        let folder = arguments[savedAudio].flatMap { $0 == "none" ? nil : $0 }
        return folder.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
    }

    static let savedAudio = Option<String>(
        "save-audio", "DIR", .folder,
        help: "Keep the sound of the memo in DIR, which is made where it is missing: a WAV file that is called by the note's day and the "
            + "memo's mark in the note. A memo that is discarded, or in which nothing was said, leaves no file. none for no sound.")
}
