import Foundation
import Outbox

/// What `utter outbox` was asked for.
struct OutboxOptions: Equatable, Sendable {
    enum Action: String, CaseIterable, Sendable {
        case summary
        case list
        case show
        case add
        case retry
        case drain
        case clear
        case test
    }

    var action: Action
    var arguments: [String]
    var destinations: [String]
    var isAll: Bool
    var isWatching: Bool
    /// In seconds: how long it watches at most.
    var duration: Double?
    /// Whether what is added is brought at once.
    var drains: Bool
    var isSure: Bool
    var isJSON: Bool
    /// Where the notes are when no destination is configured.
    var notes: MarkdownVault.Location

    init(
        _ parsed: ParsedArguments, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UsageError) {
        func refuse(_ message: String) -> UsageError { parsed.specification.usageError(message) }
        let name = parsed.operands.first ?? Action.summary.rawValue
        guard let action = Action(rawValue: name) else {
            throw refuse("'\(name)' is not an action: choose \(ValueKind.list(Action.allCases.map(\.rawValue)))")
        }
        self.action = action
        arguments = Array(parsed.operands.dropFirst())
        destinations = parsed.strings("to")
        (isAll, isWatching) = (parsed.has("all"), parsed.has("watch"))
        (duration, drains) = (parsed.number("for"), !parsed.has("no-drain"))
        (isSure, isJSON) = (parsed.has("yes"), parsed.has("json"))
        notes = .chosen(by: parsed, environment)
        let limits: [Action: ClosedRange<Int>] = [
            .show: 1...1, .test: 1...1, .retry: isAll ? 0...0 : 1...1, .clear: 0...1, .add: 0...(.max),
        ]
        let limit = limits[action] ?? 0...0
        if arguments.count < limit.lowerBound {
            throw refuse("\(name) needs \(action == .test ? "a DESTINATION" : action == .retry ? "an ID, or --all" : "an ID")")
        }
        if arguments.count > limit.upperBound { throw refuse("'\(arguments[limit.upperBound])' is one argument too many for \(name)") }
        for (option, owner) in [
            ("to", Action.add), ("no-drain", .add), ("all", .retry), ("watch", .drain), ("for", .drain), ("yes", .clear),
        ]
        where parsed.has(option) && action != owner {
            throw refuse("--\(option) goes with \(owner.rawValue)")
        }
        if duration != nil, !isWatching { throw refuse("--for goes with drain --watch") }
    }
}
