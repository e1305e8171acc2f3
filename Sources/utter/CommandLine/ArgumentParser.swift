/// Parses a command's arguments by its specification.
///
/// The rules are getopt's: `--name=value`, `--name value`, `-nvalue`, `-n value`, flags in a cluster (`-vq`), operands
/// and options in any order, nothing is an option after `--`, and `-` is an operand. One rule is stricter: if what follows an
/// option looks like another option of the command, the value counts as forgotten, unless it is written with `=`.
struct ArgumentParser {
    enum Outcome: Equatable {
        case arguments(ParsedArguments)
        case help
        case version
    }

    private let specification: CommandSpecification
    private var parsed: ParsedArguments
    private var rest: ArraySlice<String>

    static func parse(
        _ arguments: [String], by specification: CommandSpecification
    ) throws(UsageError) -> Outcome {
        var parser = ArgumentParser(
            specification: specification, parsed: ParsedArguments(specification: specification), rest: arguments[...])
        return try parser.run()
    }

    private mutating func run() throws(UsageError) -> Outcome {
        while let argument = rest.popFirst() {
            if argument == "--" {
                for operand in rest { parsed.append(operand: operand) }
                break
            }
            if argument.hasPrefix("--") {
                if let end = try readLong(argument) { return end }
            } else if argument.hasPrefix("-"), argument != "-", !argument.hasPrefix("- "), !isNumber(argument) {
                // A hyphen and a space begin a text, such as an item of a list.
                if let end = try readShort(argument) { return end }
            } else {
                parsed.append(operand: argument)
            }
        }
        try checkOperands()
        return .arguments(parsed)
    }

    /// - Returns: nil to go on: `--help` and `--version` end the parsing at once.
    private mutating func readLong(_ argument: String) throws(UsageError) -> Outcome? {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = specification.option(long: name) else { throw unknown("--\(name)", near: name) }
        if parts.count > 1, option.value == nil {
            throw specification.usageError("--\(name) takes no value")
        }
        return try take(option, as: "--\(name)", attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func readShort(_ argument: String) throws(UsageError) -> Outcome? {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = specification.option(short: letter) else { throw unknown(letter, in: argument) }
            if option.value == nil {
                if let end = try take(option, as: "-\(letter)", attached: nil) { return end }
                continue
            }
            return try take(option, as: "-\(letter)", attached: letters.isEmpty ? nil : String(letters))
        }
        return nil
    }

    private mutating func take(
        _ option: OptionSpecification, as spelling: String, attached: String?
    ) throws(UsageError) -> Outcome? {
        if option == .help { return .help }
        if option == .version { return .version }
        guard let value = option.value else {
            parsed.append("", to: option)
            return nil
        }
        let given = if let attached { attached } else { try nextValue(for: option, value, spelling) }
        if let complaint = value.kind.complaint(about: given) {
            throw specification.usageError("\(spelling) \(complaint)")
        }
        parsed.append(given, to: option)
        return nil
    }

    private mutating func nextValue(
        for option: OptionSpecification, _ value: OptionSpecification.Value, _ spelling: String
    ) throws(UsageError) -> String {
        guard let next = rest.popFirst() else {
            throw specification.usageError("\(spelling) needs a value: \(spelling) \(value.placeholder)")
        }
        if isOption(next) {
            throw specification.usageError(
                "\(spelling) needs a value, and '\(next)' is an option; if you mean it, write --\(option.long)=\(next)")
        }
        return next
    }

    /// Whether an argument is a negative number where a text may stand.
    private func isNumber(_ argument: String) -> Bool {
        let operands = specification.operands
        let next = operands.dropFirst(parsed.operands.count).first ?? operands.last { $0.isRepeatable }
        return next?.kind == .text && ValueKind.number(argument) != nil
    }

    private func isOption(_ argument: String) -> Bool {
        if argument == "--" { return true }
        if argument.hasPrefix("--") {
            return specification.option(long: String(argument.dropFirst(2).prefix { $0 != "=" })) != nil
        }
        guard argument.hasPrefix("-"), let letter = argument.dropFirst().first else { return false }
        return specification.option(short: letter) != nil
    }

    private func checkOperands() throws(UsageError) {
        let operands = specification.operands
        if let missing = operands.dropFirst(parsed.operands.count).first(where: \.isRequired) {
            let hint = missing.kind == .file ? "; - is standard input" : ""
            let article = "AEIO".contains(missing.placeholder.prefix(1)) ? "an" : "a"
            throw specification.usageError("\(article) \(missing.placeholder) is missing\(hint)")
        }
        if parsed.operands.count > operands.count, operands.last?.isRepeatable != true {
            throw specification.usageError(
                "'\(parsed.operands[operands.count])' is one argument too many for \(specification.invocation)")
        }
        if parsed.operands.contains("") {
            throw specification.usageError("an argument of \(specification.invocation) is empty")
        }
    }

    private func unknown(_ spelling: String, near name: String) -> UsageError {
        var message = "\(spelling) is not an option of \(specification.invocation)"
        if let suggestion = Suggestion.meant(by: name, among: specification.allOptions.map(\.long)) {
            message += "; did you mean --\(suggestion)?"
        } else if let value = value(meantBy: name) {
            message += "; did you mean \(value)?"
        }
        return specification.usageError(message)
    }

    /// The option with the value that was written as an option of its own: `--format srt` for `--srt`.
    private func value(meantBy name: String) -> String? {
        for option in specification.allOptions {
            guard let kind = option.value?.kind, kind.isOfWords else { continue }
            if let word = Suggestion.same(as: name, among: kind.words) { return "--\(option.long) \(word)" }
        }
        return nil
    }

    private func unknown(_ letter: Character, in argument: String) -> UsageError {
        var message = "-\(letter) is not an option of \(specification.invocation)"
        // Such as `-format`, where `--format` was meant.
        let name = String(argument.dropFirst().prefix { $0 != "=" })
        if name.count > 1, specification.option(long: name) != nil {
            message += "; did you mean --\(name)?"
        } else if name.count > 2, let value = value(meantBy: name) {
            message += "; did you mean \(value)?"
        }
        return specification.usageError(message)
    }
}
