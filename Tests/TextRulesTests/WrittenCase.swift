import TextRules

/// A line of a table of cases: what is heard, and what must be written. `EnglishCases` says what the columns are.
struct WrittenCase {
    var heard: [String]
    var written: String

    /// Reads a table. `\n` is a line break, with or without spaces around it, and `~` a no-break space.
    static func cases(_ table: String) -> [WrittenCase] {
        table.split(separator: "\n").map { line in
            let columns = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
            precondition(columns.count == 3 && !columns[2].isEmpty, "a case without a source: \(line)")
            let written = columns[1].joined(separator: " ").replacing(" \\n", with: "\n").replacing("\\n", with: "\n")
            return WrittenCase(
                heard: columns[0], written: written.replacing("\n ", with: "\n").replacing("~", with: "\u{A0}"))
        }
    }

    /// Returns a sentence for each case of a table that is written otherwise.
    static func complaints(_ table: String, _ rules: TextRules, beginsSentence: Bool = false) -> [String] {
        cases(table).compactMap { one in
            let written = rules.write(one.heard, beginsSentence: beginsSentence).text
            return written == one.written ? nil : "\(one.heard.joined(separator: " ")): \(written), not \(one.written)"
        }
    }
}
