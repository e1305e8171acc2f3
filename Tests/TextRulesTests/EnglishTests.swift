import Testing
import TextRules

@Suite("English as it is written")
struct EnglishTests {
    private static let all = TextRules(Set(TextRules.Rule.allCases), language: .named("en-US"))

    private static func complaints(_ table: String, beginsSentence: Bool = false) -> [String] {
        WrittenCase.complaints(table, all, beginsSentence: beginsSentence)
    }

    @Test("Numbers are digits where people write digits")
    func numbers() {
        #expect(Self.complaints(EnglishCases.numbers) == [])
        #expect(Self.complaints(EnglishCases.amounts) == [])
        #expect(Self.complaints(EnglishCases.ordinals) == [])
    }

    @Test("Times, dates and years are written as such")
    func times() {
        #expect(Self.complaints(EnglishCases.times) == [])
        #expect(Self.complaints(EnglishCases.dates) == [])
    }

    @Test("Digits that are said one by one are one number")
    func digits() { #expect(Self.complaints(EnglishCases.digits) == []) }

    @Test("Spoken marks are marks, and the same words elsewhere are words")
    func marks() { #expect(Self.complaints(EnglishCases.marks) == []) }

    @Test("Sentences begin with a capital")
    func sentences() { #expect(Self.complaints(EnglishCases.sentences, beginsSentence: true) == []) }

    @Test("The rules leave their own output unchanged when it is treated as punctuated text")
    func onlyOnce() {
        for table in [EnglishCases.numbers, EnglishCases.times, EnglishCases.dates, EnglishCases.sentences] {
            for one in WrittenCase.cases(table) where one.heard.count > 2 {
                let words = one.written.split(separator: " ").map(String.init)
                #expect(Self.all.write(words, isPunctuated: true).text == words.joined(separator: " "))
            }
        }
    }
}
