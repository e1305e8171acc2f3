import Foundation
import Outbox

/// What `utter memo` was asked for.
struct MemoOptions: Equatable, Sendable {
    var capture: CaptureOptions
    var recognition: RecognitionOptions
    var delivery: DeliveryOptions
    /// Where the notes are.
    var notes: MarkdownVault.Location { delivery.notes }

    init(
        _ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageError) {
        capture = try CaptureOptions(arguments)
        recognition = try RecognitionOptions(arguments)
        delivery = DeliveryOptions(arguments, environment: environment)
    }
}
