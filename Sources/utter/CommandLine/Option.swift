import Audio
import System

/// An option of a command, as a typed key to what was given for it: `arguments[Self.duration]`.
protocol OptionKey: Sendable {
    associatedtype Content
    var specification: OptionSpecification { get set }
    /// The option's content.
    ///
    /// - Parameter texts: every value that was given, in order, each checked against the specification; empty texts for a flag.
    func content(of texts: [String]) -> Content
}

extension OptionKey {
    /// A copy of the option with another help text.
    func with(help: String) -> Self {
        var key = self
        key.specification.help = help
        return key
    }
}

/// An option with a value; of several that were given the last counts. Its content is nil when none was given.
struct Option<Value>: OptionKey {
    var specification: OptionSpecification
    private let read: @Sendable (String) -> Value?

    private init(
        _ long: String, _ short: Character?, _ placeholder: String, _ kind: ValueKind, _ help: String,
        _ read: @escaping @Sendable (String) -> Value?
    ) {
        let value = OptionSpecification.Value(placeholder: placeholder, kind: kind)
        specification = OptionSpecification(long: long, short: short, value: value, help: help)
        self.read = read
    }

    func content(of texts: [String]) -> Value? { texts.last.flatMap(read) }
}

extension Option where Value == String {
    init(_ long: String, short: Character? = nil, _ placeholder: String, _ kind: ValueKind, help: String) {
        self.init(long, short, placeholder, kind, help) { $0 }
    }
}

extension Option where Value == Int {
    init(_ long: String, short: Character? = nil, _ placeholder: String, _ range: ClosedRange<Int>, help: String) {
        self.init(long, short, placeholder, .integer(range), help) { Int($0) }
    }
}

extension Option where Value == ChannelSelection {
    /// An option for a channel, which users count from 1, or the mix of all.
    init(_ long: String, _ placeholder: String, help: String) {
        self.init(long, nil, placeholder, .channel, help) { Int($0).map { .channel($0 - 1) } ?? .mix }
    }
}

extension Option where Value == Double {
    init(_ long: String, short: Character? = nil, _ placeholder: String, _ range: ClosedRange<Double>, help: String) {
        self.init(long, short, placeholder, .number(range), help) { ValueKind.number($0) }
    }
}

extension Option where Value: CaseIterable & RawRepresentable<String> & SendableMetatype {
    /// An option whose values are the raw values of the cases.
    init(_ long: String, short: Character? = nil, _ placeholder: String, help: String) {
        self.init(long, short, placeholder, .choice(Value.allCases.map(\.rawValue)), help) { Value(rawValue: $0) }
    }
}

extension Option {
    /// An option whose value is one or several of the cases of a type, by their raw values, with commas between them.
    init<Case: CaseIterable & RawRepresentable<String> & Hashable & SendableMetatype>(
        _ long: String, short: Character? = nil, _ placeholder: String, help: String
    ) where Value == [Case] {
        self.init(long, short, placeholder, .list(Case.allCases.map(\.rawValue), alone: []), help) { text in
            ValueKind.parts(of: text).compactMap { Case(rawValue: $0) }.unique
        }
    }
}

/// An option of which every occurrence counts.
struct RepeatableOption: OptionKey {
    var specification: OptionSpecification

    init(_ long: String, _ placeholder: String, _ kind: ValueKind, help: String) {
        let value = OptionSpecification.Value(placeholder: placeholder, kind: kind)
        specification = OptionSpecification(long: long, value: value, help: help, isRepeatable: true)
    }

    func content(of texts: [String]) -> [String] { texts }
}

/// An option without a value. Its content is whether it was given.
struct Flag: OptionKey {
    var specification: OptionSpecification

    init(_ long: String, short: Character? = nil, help: String) {
        specification = OptionSpecification(long: long, short: short, help: help)
    }

    func content(of texts: [String]) -> Bool { !texts.isEmpty }

    // Flags of several commands, some of which have their own help text for them.
    static let json = Flag("json", help: "Write JSON.")
    static let quiet = Flag("quiet", short: "q", help: "No progress and no warnings; errors are still reported.")
}
