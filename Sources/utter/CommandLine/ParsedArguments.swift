/// A command line that its specification accepts: every value has been checked against its `ValueKind`.
struct ParsedArguments: Equatable, Sendable {
    let specification: CommandSpecification
    /// The arguments that aren't options, in order. `-` is one of them.
    private(set) var operands: [String] = []
    private var values: [String: [String]] = [:]

    init(specification: CommandSpecification) {
        self.specification = specification
    }

    /// The content of an option. An option that the command doesn't have counts as not given.
    subscript<Key: OptionKey>(_ key: Key) -> Key.Content {
        key.content(of: values[key.specification.long] ?? [])
    }

    /// Whether an option was given, with any value.
    func has(_ key: some OptionKey) -> Bool { has(key.specification) }

    func has(_ option: OptionSpecification) -> Bool { values[option.long] != nil }

    func refuse(_ first: some OptionKey, with second: some OptionKey) throws(UsageError) {
        guard has(first), has(second) else { return }
        throw specification.usageError(
            "--\(first.specification.long) and --\(second.specification.long) can't go together")
    }

    /// The options as they may be typed in another folder, for another process.
    ///
    /// - Parameter folder: the folder of this process, in which relative paths begin.
    func spelledOptions(in folder: String) -> [String] {
        specification.allOptions.flatMap { option in
            (values[option.long] ?? []).map { value in
                guard let kind = option.value?.kind else { return "--\(option.long)" }
                let isRelative = kind.isPath(value) && !value.hasPrefix("/")
                return "--\(option.long)=\(isRelative ? "\(folder)/\(value)" : value)"
            }
        }
    }

    mutating func append(operand: String) {
        operands.append(operand)
    }

    mutating func append(_ value: String, to option: OptionSpecification) {
        values[option.long, default: []].append(value)
    }
}
