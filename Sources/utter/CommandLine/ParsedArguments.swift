/// A command line that its specification accepts: every value has been checked against its `ValueKind`.
///
/// Asking for an option that the specification doesn't have, or for a value as something that it isn't, is a mistake in
/// the program and traps.
struct ParsedArguments: Equatable, Sendable {
    let specification: CommandSpecification
    /// The arguments that aren't options, in order. `-` is one of them.
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    init(specification: CommandSpecification) {
        self.specification = specification
    }

    /// Whether the option or flag was given.
    func has(_ long: String) -> Bool {
        !strings(long).isEmpty
    }

    /// The value, or the last of several.
    func string(_ long: String) -> String? {
        strings(long).last
    }

    /// Every value of a repeatable option, in order. A flag's are empty strings.
    func strings(_ long: String) -> [String] {
        guard specification.option(long: long) != nil else {
            preconditionFailure("\(specification.name) has no option --\(long)")
        }
        return values[long] ?? []
    }

    /// The value of an integer option; nil when it wasn't given, or is one of the words that stand in for a number.
    func integer(_ long: String) -> Int? {
        guard case .integer = specification.option(long: long)?.value?.kind else {
            preconditionFailure("--\(long) is not an integer")
        }
        return string(long).flatMap { Int($0) }
    }

    /// The value of an option that is a decimal number.
    func number(_ long: String) -> Double? {
        guard case .number = specification.option(long: long)?.value?.kind else {
            preconditionFailure("--\(long) is not a number")
        }
        return string(long).flatMap { ValueKind.number($0) }
    }

    /// Refuses two options that contradict each other.
    func refuse(_ first: String, with second: String) throws(UsageError) {
        if has(first), has(second) { throw specification.usageError("--\(first) and --\(second) can't go together") }
    }

    mutating func append(operand: String) {
        operands.append(operand)
    }

    mutating func append(_ value: String, to option: OptionSpecification) {
        values[option.long, default: []].append(value)
    }
}
