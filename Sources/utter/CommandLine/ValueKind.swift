import Speech

/// What a value may be. Drives the check, the words of the error, and what a shell offers to complete.
enum ValueKind: Equatable, Sendable {
    case text
    case file
    case folder
    /// The name of an installed model, of one pass or of either, or a folder; of the second pass also a file.
    case model(RecognitionPass?)
    case choice([String])
    /// A whole number in a range, or a word.
    case integer(ClosedRange<Int>, or: String? = nil)
    /// A decimal number in a range.
    case number(ClosedRange<Double>)

    /// One channel of a recording or a device, or all of them in one.
    static let channel = ValueKind.integer(1...64, or: "mix")

    /// The words that it may be.
    var words: [String] {
        switch self {
        case .choice(let words): words
        case .integer(_, or: let word): word.map { [$0] } ?? []
        case .text, .file, .folder, .model, .number: []
        }
    }

    /// Why `value` isn't one of these, as the end of a sentence that begins with the option; nil when it is one.
    func complaint(about value: String) -> String? {
        if value.isEmpty { return "was given an empty value" }
        if words.contains(value) { return nil }
        switch self {
        case .text, .file, .folder, .model:
            return nil
        case .choice:
            return "can't be '\(value)': choose \(Self.list(words))"
        case .integer(let range, or: _):
            if let integer = Int(value), range.contains(integer) { return nil }
            let numbers = "a whole number from \(range.lowerBound) to \(range.upperBound)"
            return "can't be '\(value)': give \(Self.list([numbers] + words))"
        case .number(let range):
            if let number = Self.number(value), range.contains(number) { return nil }
            return
                "can't be '\(value)': give a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
        }
    }

    /// A decimal number, in digits: `Double` itself would also take `nan`, `inf` and hexadecimal.
    static func number(_ value: String) -> Double? {
        guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".-+eE".utf8.contains($0) }) else { return nil }
        return Double(value)
    }

    /// `a`, `a or b`, `a, b or c`.
    ///
    /// - Parameter word: what stands before the last.
    static func list(_ words: [String], word: String = "or") -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(word) " + last
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}
