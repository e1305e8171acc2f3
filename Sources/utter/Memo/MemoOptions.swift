import Foundation
import Outbox
import TextRules

/// What `utter memo` was asked for.
struct MemoOptions: Equatable, Sendable {
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var writing: WritingOptions
    var delivery: DeliveryOptions
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
    }
}
