import Foundation
import Outbox

/// What `utter memo` was asked for.
struct MemoOptions: Equatable, Sendable {
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    /// Where the notes are.
    var notes: MarkdownVault.Location

    init(
        _ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageError) {
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        if let folder = arguments.string("notes") {
            notes = .named(folder)
        } else {
            let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            notes = .own((data ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share") + "/utter/notes")
        }
    }
}
