import Testing
import TextRules

/// What Whisper tiny.en has written for synthetic voices, and its like.
@Suite("Times of day in a text that has punctuation")
struct PunctuatedTimesTests {
    private func written(_ text: String, _ tag: String = "en", _ rules: Set<TextRules.Rule> = [.numbers]) -> String {
        TextRules(rules, language: .named(tag)).write(text.split(separator: " ").map(String.init), isPunctuated: true)
            .text
    }

    @Test(
        "A time has a colon",
        arguments: [
            ("The train leaves at 6.45.", "The train leaves at 6:45."),
            ("We meet at 635 in the evening.", "We meet at 6:35 in the evening."),
            ("We meet at 6.35 in the evening.", "We meet at 6:35 in the evening."),
            ("The meeting is at 10.15 on Monday.", "The meeting is at 10:15 on Monday."),
            ("Call me at 705 tomorrow.", "Call me at 7:05 tomorrow."),
            ("Come at 7.05, or not at all.", "Come at 7:05, or not at all."),
            ("We open at 8.30 am and close at 5.45 pm.", "We open at 8:30 am and close at 5:45 pm."),
            ("From 645 p.m. on, by 9.15pm.", "From 6:45 p.m. on, by 9:15pm."),
            ("Stay until 1130 tonight.", "Stay until 11:30 tonight."),
            ("\"Be here at 19.30!\"", "\"Be here at 19:30!\""),
            ("Be here at 9.00", "Be here at 9:00"),
        ])
    func times(text: String, expected: String) { #expect(written(text) == expected) }

    @Test(
        "What may be another number stays as it is",
        arguments: [
            "It costs 6.45.", "Version 3.15 on Monday.", "It grew by 6.45.", "It rose at 6.45 percent.",
            "The price stood at 645.", "It closed at 645 today.", "He lives at 645 Main Street.",
            "Flight 645 tomorrow.",
            "At 6.75.", "At 25.30.", "At 1345 tomorrow.", "At 6.45%.", "At 6.45.2.", "At $6.45.", "At 6.4 tonight.",
            "At 6.455 tonight.", "At 0.45 meters.", "At 6.45kg tonight.", "I am at 6:45.", "At 100 in the shade.",
        ])
    func others(text: String) { #expect(written(text) == text) }

    @Test("Other languages, and other rules, leave it as it is")
    func elsewhere() {
        #expect(written("Um 6.45 Uhr, at 6.45.", "de") == "Um 6.45 Uhr, at 6.45.")
        #expect(written("The train leaves at 6.45.", "en", [.marks]) == "The train leaves at 6.45.")
    }

    @Test("The words are the same, and so are their times")
    func words() {
        let rules = TextRules([.numbers, .marks], language: .named("en"))
        let utterance = rules.write(["It", "is", "at", "6.45."], isPunctuated: true)
        #expect(utterance.words.map(\.heard) == [0..<1, 1..<2, 2..<3, 3..<4])
    }
}
