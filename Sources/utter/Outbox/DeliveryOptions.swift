import Foundation
import Outbox

/// What a user may say about where text goes, whatever the command.
struct DeliveryOptions: Equatable, Sendable {
    /// Those that are named.
    var destinations: [String]
    /// Where the notes are.
    var notes: MarkdownVault.Location

    init(_ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment) {
        // The doctor looks at a memo's options, and sends nothing.
        destinations = arguments.specification.option(long: "to") == nil ? [] : arguments.strings("to")
        notes = .chosen(by: arguments, environment)
    }

    /// - Parameter what: what goes there, such as `each utterance`.
    static func specifications(of what: String) -> [OptionSpecification] {
        [
            .value(
                "to", "DESTINATION", .destination, isRepeatable: true,
                help: "Bring \(what) to this destination of the outbox: one of yours, or notes. See utter outbox --help."),
            notes,
        ]
    }

    static let notes = OptionSpecification.value(
        "notes", "DIR", .folder,
        help: "The folder of the notes. Without it that of UTTER_NOTES, or utter/notes in the XDG data folder.")
}
