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

    /// The words of a language's cases, for sentences at random.
    static func words(of language: String) -> [String] {
        let tables = tables.filter { $0.language.hasPrefix(language) }.flatMap { $0.inside + [$0.sentences] }
        return Set(tables.flatMap { WrittenCase.cases($0).flatMap(\.heard) }).sorted()
    }

    @Test("What is heard is written as people of the language write it", arguments: tables)
    func written(_ table: Table) {
        for cases in table.inside { #expect(WrittenCase.complaints(cases, table.rules) == []) }
        #expect(WrittenCase.complaints(table.sentences, table.rules, beginsSentence: true) == [])
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

}
