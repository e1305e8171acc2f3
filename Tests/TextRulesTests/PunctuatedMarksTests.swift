import Testing
import TextRules

/// What a stronger model has written, and the text of it. `\n` is a line break. The model's texts are those of Whisper tiny.en and base for
/// synthetic voices, but where the comment says otherwise.
@Suite("Spoken marks in a text that has punctuation")
struct PunctuatedMarksTests {
    private static func written(
        _ text: String, _ tag: String = "en", _ rules: Set<TextRules.Rule> = [.marks, .capitals]
    )
        -> WrittenUtterance
    {
        TextRules(rules, language: .named(tag)).write(text.split(separator: " ").map(String.init), isPunctuated: true)
    }

    @Test(
        "A mark takes the place of its name and of the punctuation around it",
        arguments: [
            ("Please call me back, comma, it is urgent, exclamation point.", "Please call me back, it is urgent!"),
            (
                "The shop is closed on Sunday, full stop, it opens again on Monday, full stop.",
                "The shop is closed on Sunday. It opens again on Monday."
            ),
            (
                "Is the door locked? Question mark. Please check it again, period.",
                "Is the door locked? Please check it again."
            ),
            ("Do you want coffee? Question mark.", "Do you want coffee?"),
            (
                "Dear Mr. Brown, comma, new line, please find the report, period",
                "Dear Mr. Brown,\nPlease find the report."
            ),
            (
                "Thank you for your patience. Full stop. New paragraph the second part. Full stop.",
                "Thank you for your patience.\n\nThe second part."
            ),
            ("Shopping list, colon, new line eggs, new line flour.", "Shopping list:\nEggs\nFlour."),
            ("The king, open parenthesis, an old man, close parenthesis, left.", "The king (an old man) left."),
            ("He said, open quote, the end, close quote, full stop.", "He said \"the end\"."),
            ("I think comma therefore I am period.", "I think, therefore I am."),
            ("In Boston. Comma. The city, full stop.", "In Boston, the city."),
            ("In Boston. Comma. Peter left.", "In Boston, Peter left."),
            ("We meet at 5 p.m. Period. He comes, period.", "We meet at 5 p.m. He comes."),
            ("At 5 p.m., comma, not later.", "At 5 p.m., not later."),
            ("Write to peter at sign example.com, please.", "Write to peter@example.com, please."),
            ("The last, period. We wait.", "The last. We wait."),
            ("Full stop. Let us begin.", ". Let us begin."),
            ("New paragraph.", "\n\n"), ("Comma.", ","), ("Period", "."),
        ])
    func marks(_ text: String, _ written: String) {
        #expect(Self.written(text).text == written)
    }

    @Test(
        "The same words are words where nobody dictates",
        arguments: [
            "It was a difficult period.", "The colonial period was long.", "Colon cancer is rare.",
            "Put a comma there.",
            "He made a dash for the door.", "The team has a new line of products.",
            "There is a question mark over that.",
            "Period furniture is dear.", "She said \"comma\" twice.", "Use full, stop the car.",
            "The price is high comma which is bad.",
            "A new line.", "It has a hyphen.", "He bought the next line of phones.",
        ])
    func words(_ text: String) { #expect(Self.written(text).text == text) }

    @Test(
        "Other languages likewise",
        arguments: [
            ("de", "Liebe Anna, Komma, neue Zeile, wie geht es dir? Fragezeichen.", "Liebe Anna,\nWie geht es dir?"),
            ("de", "Das ist der Punkt.", "Das ist der Punkt."),
            ("de", "Ich komme, Punkt. Er geht, Punkt.", "Ich komme. Er geht."),
            ("fr", "Bonjour, virgule, à la ligne, je viens, point.", "Bonjour,\nJe viens."),
            ("fr", "C'est un bon point.", "C'est un bon point."),
            ("es", "Hola, coma, ya voy, punto.", "Hola, ya voy."), ("es", "Es un buen punto.", "Es un buen punto."),
        ])
    func languages(_ tag: String, _ text: String, _ written: String) {
        #expect(Self.written(text, tag).text == written)
    }

    @Test("Without the rule for marks nothing changes, and without that for capitals no letter does")
    func rules() {
        let text = "I come, full stop, he goes, period."
        #expect(Self.written(text, "en", [.capitals]).text == text)
        #expect(Self.written(text, "en", [.marks]).text == "I come. he goes.")
    }

    @Test("Each heard word belongs to a written one")
    func heard() {
        let written = Self.written("Stop, comma, full stop. He goes at 5 p.m. Period.")
        #expect(written.words.map(\.text) == ["Stop,.", "He", "goes", "at", "5", "p.m."])
        #expect(written.words.map(\.heard) == [0..<4, 4..<5, 5..<6, 6..<7, 7..<8, 8..<10])
    }
}
