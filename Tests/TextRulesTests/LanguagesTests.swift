import Testing
import TextRules

@Suite("German, French and Spanish as they are written")
struct LanguagesTests {
    struct Table: Sendable, CustomTestStringConvertible {
        var language: String
        /// The cases in the middle of a sentence.
        var inside: [String]
        /// The cases at the beginning of a sentence.
        var sentences: String

        var testDescription: String { language }

        var rules: TextRules { TextRules(Set(TextRules.Rule.allCases), language: .named(language)) }
    }

    static let tables = [
        Table(
            language: "de-AT",
            inside: [
                GermanCases.numbers, GermanCases.amounts, GermanCases.ordinals, GermanCases.times, GermanCases.dates,
                GermanCases.marks,
            ], sentences: GermanCases.sentences),
        Table(
            language: "fr",
            inside: [
                FrenchCases.numbers, FrenchCases.amounts, FrenchCases.ordinals, FrenchCases.times, FrenchCases.dates,
                FrenchCases.marks,
            ], sentences: FrenchCases.sentences),
        Table(
            language: "es_ES",
            inside: [
                SpanishCases.numbers, SpanishCases.amounts, SpanishCases.ordinals, SpanishCases.times,
                SpanishCases.dates, SpanishCases.marks,
            ], sentences: SpanishCases.sentences),
    ]

    private struct Case {
        var heard: [String]
        var written: String
    }

    private static func cases(_ table: String) -> [Case] {
        table.split(separator: "\n").map { line in
            let columns = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
            precondition(columns.count == 3 && !columns[2].isEmpty, "a case without a source: \(line)")
            let written = columns[1].joined(separator: " ").replacing(" \\n", with: "\n").replacing("\\n", with: "\n")
            return Case(
                heard: columns[0], written: written.replacing("\n ", with: "\n").replacing("~", with: "\u{A0}"))
        }
    }

    /// The words of a language's cases, for sentences at random.
    static func words(of language: String) -> [String] {
        let tables = tables.filter { $0.language.hasPrefix(language) }.flatMap { $0.inside + [$0.sentences] }
        return Set(tables.flatMap { cases($0).flatMap(\.heard) }).sorted()
    }

    private static func complaints(_ cases: [Case], _ rules: TextRules, beginsSentence: Bool) -> [String] {
        cases.compactMap { one in
            let written = rules.write(one.heard, beginsSentence: beginsSentence).text
            return written == one.written ? nil : "\(one.heard.joined(separator: " ")): \(written), not \(one.written)"
        }
    }

    @Test("What is heard is written as people of the language write it", arguments: tables)
    func written(_ table: Table) {
        for cases in table.inside.map(Self.cases) {
            #expect(Self.complaints(cases, table.rules, beginsSentence: false) == [])
        }
        #expect(Self.complaints(Self.cases(table.sentences), table.rules, beginsSentence: true) == [])
    }

    @Test(
        "The last utterance can be taken back in each language",
        arguments: [("de", "streich das"), ("fr", "efface ça"), ("es", "borra eso")])
    func command(_ language: String, _ said: String) {
        let rules = TextRules([.commands], language: .named(language))
        let words = said.split(separator: " ").map(String.init)
        #expect(rules.write(words).command == .scratch)
        #expect(rules.write(words + words).command == nil)
    }

    @Test("Each language has at least a hundred cases", arguments: tables)
    func count(_ table: Table) {
        let heard = Set((table.inside + [table.sentences]).flatMap { Self.cases($0).map(\.heard) })
        #expect(heard.count >= 100)
    }
}
