import Foundation
import Outbox

/// The options of every command that delivers text.
struct DeliveryOptions: Equatable, Sendable {
    /// The names of the destinations that are chosen; empty for the default.
    var destinations: [String]
    var notes: MarkdownVault.Location

    init(_ arguments: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment) {
        destinations = arguments[Self.destinations]
        notes = .chosen(by: arguments, environment)
    }

    /// The options for a command.
    ///
    /// - Parameter what: what the command delivers, such as `each utterance`.
    static func all(of what: String) -> [any OptionKey] {
        let help = "Bring \(what) to this destination of the outbox: one of yours, or notes. See utter outbox --help."
        return [destinations.with(help: help), notes]
    }

    static let destinations = RepeatableOption(
        "to", "DESTINATION", .destination, help: "Queue it for this destination only.")
    static let notes = Option<String>(
        "notes", "DIR", .folder,
        help: "The folder of the notes. Without it that of UTTER_NOTES, or utter/notes in the XDG data folder.")
}
