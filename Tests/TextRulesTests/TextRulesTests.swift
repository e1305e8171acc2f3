import Foundation
import TestSupport
import Testing
import TextRules

@Suite("The rules of text")
struct TextRulesTests {
    private func rules(_ rules: TextRules.Rule..., replacements: String = "", language: String? = "en") throws
        -> TextRules
    {
        TextRules(Set(rules), replacements: try Replacements(replacements), language: language.flatMap(Language.named))
    }

    private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test("Each rule can be turned on alone")
    func apart() throws {
        let said = words("on monday comma twenty five people")
        #expect(try rules().write(said).text == "on monday comma twenty five people")
        #expect(try rules(.numbers).write(said).text == "on monday comma 25 people")
        #expect(try rules(.capitals).write(said).text == "On Monday comma twenty five people")
        #expect(try rules(.marks).write(said).text == "on monday, twenty five people")
        #expect(try rules(.commands).write(said).text == "on monday comma twenty five people")
        #expect(try rules(.numbers, .capitals, .marks, .commands).write(said).text == "On Monday, 25 people")
    }

    @Test("In a language without tables, a sentence still begins with a capital")
    func otherLanguages() throws {
        let all = try rules(.numbers, .capitals, .marks, .commands, language: "it-IT")
        #expect(all.write(words("èrba virgola venti pere")).text == "Èrba virgola venti pere")
        #expect(all.write(["안녕", "하세요"]).text == "안녕 하세요")
        #expect(all.write(words("scratch that")).command == nil)
    }

    @Test("Every written word has the range of the words that were heard for it")
    func ranges() throws {
        let all = try rules(.numbers, .capitals, .marks, .commands)
        let written = all.write(
            words("milk comma at six thirty five a m on may second nineteen sixty five full stop new line two dollars"))
        let expected: [(String, Range<Int>)] = [
            ("Milk,", 0..<2), ("at", 2..<3), ("6:35", 3..<6), ("AM", 6..<8), ("on", 8..<9), ("May", 9..<10),
            ("2,", 10..<11),
            ("1965.", 11..<16), ("\n", 16..<18), ("$2", 18..<20),
        ]
        #expect(written.words == expected.map { WrittenWord(text: $0.0, heard: $0.1) })
        #expect(written.text == "Milk, at 6:35 AM on May 2, 1965.\n$2")
    }

    @Test("A capital that only comes from the beginning of a sentence can be undone")
    func sentenceCapital() throws {
        let capitals = try rules(.capitals)
        #expect(capitals.write(words("so it is")).textInsideSentence == "so it is")
        #expect(capitals.write(words("monday it is")).textInsideSentence == "Monday it is")
        #expect(capitals.write(words("i know")).textInsideSentence == "I know")
        #expect(capitals.write(words("so it is"), beginsSentence: false).text == "so it is")
        #expect(try rules(.capitals, .numbers).write(words("twenty of them")).textInsideSentence == "20 of them")
        #expect(try rules(.capitals, .marks).write(words("open quote so")).textInsideSentence == "\"so")
    }

    @Test("A command counts only when nothing else is said with it")
    func commands() throws {
        let commands = try rules(.commands)
        let scratch = commands.write(words("scratch that"))
        #expect(
            scratch.command == .scratch && scratch.text == "" && scratch.words == [WrittenWord(text: "", heard: 0..<2)])
        #expect(commands.write(words("Scratch that."), isPunctuated: true).command == .scratch)
        #expect(commands.write(words("scratch that itch")).command == nil)
        #expect(commands.write(words("i will scratch that")).text == "i will scratch that")
        #expect(try rules(.marks, .numbers, .capitals).write(words("scratch that")).text == "Scratch that")
    }

    @Test(
        "A command in a punctuated text is an utterance of its own where it is apart, and no other words are one",
        arguments: [
            ("At five, scratch that, at six.", ["At five,", "scratch that,", "At six."]),
            ("The red folder, scratch that the blue one.", ["The red folder,", "scratch that", "The blue one."]),
            ("I come. You go. Scratch that.", ["I come.", "You go.", "Scratch that."]),
            ("Scratch that!", ["Scratch that!"]),
            ("We meet at 5 Scratch that we meet at 6.", ["We meet at 5", "Scratch that", "We meet at 6."]),
            ("We meet at 5 scratch that we meet at 6.", ["We meet at 5 scratch that we meet at 6."]),
            ("Scratch that, scratch that. I go.", ["Scratch that,", "scratch that.", "I go."]),
            ("Mr. Brown called, scratch that, I called.", ["Mr. Brown called,", "scratch that,", "I called."]),
            ("If it itches, scratch that spot.", ["If it itches, scratch that spot."]),
            ("I will scratch that.", ["I will scratch that."]), ("Scratch, that.", ["Scratch, that."]), ("", [""]),
        ])
    func commandsInside(_ text: String, _ expected: [String]) throws {
        #expect(
            try rules(.commands, .capitals).utterances(in: words(text)).map { $0.joined(separator: " ") } == expected)
        #expect(try rules(.capitals, .marks, .numbers).utterances(in: words(text)) == [words(text)])
    }

    @Test("Punctuated text gets no numbers and no capitals of the rules")
    func punctuated() throws {
        let all = try rules(.numbers, .capitals, .marks, .commands)
        #expect(all.write(words("one hundred Two. i think"), isPunctuated: true).text == "one hundred Two. i think")
    }

    // MARK: Replacements

    @Test("A user's replacements replace whole words, the longest first, and keep a capital")
    func replacements() throws {
        let some = try rules(
            replacements: """
                # names
                data type = data-type
                data type set\tdata set of types

                linux = Linux
                um =
                ten = X
                straße=Weg
                """)
        #expect(some.write(words("a data type and data types")).text == "a data-type and data types")
        #expect(some.write(words("data type set")).text == "data set of types")
        #expect(some.write(words("um linux um")).text == "Linux")
        #expect(some.write(words("um linux um")).words.map(\.heard) == [0..<1, 1..<2, 2..<3])
        #expect(
            some.write(words("\"Data type,\" he said. Linux! Um, the Straße."), isPunctuated: true).text
                == "\"Data-type,\" he said. Linux! The Weg.")
        for (text, written) in [
            ("Um, I think so.", "I think so."), ("I think, um, so, um.", "I think, so."), ("Um.", ""),
            ("So it is um? Um, um, yes!", "So it is? Yes!"), ("Um the iPhone.", "The iPhone."),
            ("\"Um,\" he said.", "\",\" he said."),
        ] { #expect(some.write(words(text), isPunctuated: true).text == written) }
        #expect(some.write(words("Data, type"), isPunctuated: true).text == "Data, type")
        #expect(some.write(words("often ten")).text == "often X")
        #expect(try rules(.marks, replacements: "um =").write(words("hello um comma um there")).text == "hello, there")
    }

    @Test(
        "In punctuated text the capital of a frequent word, which is no name, is known to be that of a sentence",
        arguments: [
            ("Then he left.", "then he left."), ("\"The house,\"", "\"the house,\""), ("Peter left.", "Peter left."),
            ("I left.", "I left."),
            ("May I?", "May I?"), ("IT is down.", "IT is down."),
        ])
    func sentenceCapital(_ text: String, _ inside: String) throws {
        let utterance = try rules(.capitals).write(words(text), isPunctuated: true)
        #expect(utterance.text == text && utterance.textInsideSentence == inside)
        #expect(try rules(.numbers).write(words(text), isPunctuated: true).textInsideSentence == text)
    }

    @Test("A user's replacements come before all other rules, and are written as the user wrote them")
    func replacementsFirst() throws {
        let all = try rules(
            .numbers, .capitals, .marks, .commands,
            replacements: "iphone = iPhone\ntwenty = score\ncomma = kommazeichen\nscratch that = undo")
        #expect(all.write(words("iphone twenty comma twenty")).text == "iPhone score kommazeichen score")
        #expect(all.write(words("twenty five")).text == "Score five")
        // Only a first word with capitals of its own stays as it is.
        let call = try rules(.capitals, replacements: "call 8 = call Ada\ncall nine = iPhone call")
        #expect(call.write(words("call 8")).text == "Call Ada")
        #expect(call.write(words("Call 8, please."), isPunctuated: true).text == "Call Ada, please.")
        #expect(call.write(words("call nine")).text == "iPhone call")
        #expect(try rules(.capitals, replacements: "um =").write(words("um so it is")).text == "So it is")
    }

    @Test(
        "An error in a file of replacements is reported with its line",
        arguments: [
            ("a = b\nc", 2, "has neither an equals sign nor a tab; write: heard words = what to write"),
            (" = b", 1, "does not say which words to replace"),
            ("a = b\n\n# x\nA = c", 4, "replaces words that an earlier line replaces differently"),
        ])
    func replacementFailures(text: String, line: Int, complaint: String) {
        #expect(throws: Replacements.Failure.self) { try Replacements(text) }
        do throws(Replacements.Failure) { _ = try Replacements(text) } catch {
            #expect(error.line == line && error.complaint == complaint)
            #expect(error.localizedDescription == "line \(line) \(complaint)")
        }
    }

    @Test("Comments, empty lines and a byte order mark are no replacements, and the same line twice is no mistake")
    func emptyReplacements() throws {
        #expect(try Replacements("\u{FEFF}# nothing\r\n\r\n   \n").isEmpty)
        #expect(try !Replacements("a = b\r\na = b").isEmpty)
    }

    // MARK: At random

    @Test("Whatever is said, no word is lost and nothing crashes")
    func random() throws {
        var random = SplitMix64(for: "the rules of text")
        let vocabulary = words(
            """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fifteen nineteen twenty thirty ninety hundred
            thousand million quadrillion a and oh o double triple point minus half quarter past to or minutes at am p m a o'clock clock first
            second third tenth twentieth hundredth thousandth eighties percent per cent dollar dollars euros cents cent yen january may march
            of december page room street comma period full stop question mark open quote close new line paragraph hyphen dash scratch that i
            i'm monday the hello world people um data type straße 안녕 é 🎉 x 5 12:30 - \u{301}
            """.replacing("\n", with: " "))
        let replacements = try Replacements("um =\ndata type = data-type\nhello = oh two hundred")
        let languages: [(tag: String, words: [String])] = [
            ("en", vocabulary), ("de", vocabulary + LanguagesTests.words(of: "de")),
            ("fr", LanguagesTests.words(of: "fr")), ("es", LanguagesTests.words(of: "es")),
        ]
        for _ in 0..<Tier.count(10_000, long: 50_000) {
            let (tag, vocabulary) = languages.randomElement(using: &random)!
            var chosen = Set<TextRules.Rule>()
            for rule in TextRules.Rule.allCases where Bool.random(using: &random) { chosen.insert(rule) }
            let some = TextRules(
                chosen, replacements: Bool.random(using: &random) ? replacements : Replacements(),
                language: Int.random(in: 0..<8, using: &random) == 0 ? nil : .named(tag))
            let said = (0..<Int.random(in: 1...14, using: &random)).map { _ in vocabulary.randomElement(using: &random)!
            }
            let written = some.write(
                said, beginsSentence: Bool.random(using: &random),
                isPunctuated: Int.random(in: 0..<4, using: &random) == 0)
            let isWhole =
                written.words.first?.heard.lowerBound == 0 && written.words.last?.heard.upperBound == said.count
                && zip(written.words, written.words.dropFirst()).allSatisfy {
                    $0.heard.upperBound == $1.heard.lowerBound
                }
                && written.words.allSatisfy { !$0.heard.isEmpty }
            // Words may be lost only through a replacement or a command.
            let mayVanish = !some.replacements.isEmpty || written.command != nil
            let isThere = mayVanish || written.words.allSatisfy { !$0.text.isEmpty }
            let isSame = !chosen.isEmpty || !some.replacements.isEmpty || written.text == said.joined(separator: " ")
            if !isWhole || !isThere || !isSame { Issue.record("\(said): \(written)") }
        }
    }

    @Test("Words that no rule knows are unchanged, except for the capital")
    func untouched() {
        var random = SplitMix64(for: "untouched words")
        let all = TextRules(Set(TextRules.Rule.allCases), language: .named("en"))
        let letters = Array("abcdefghijklmnopqrstuvwxyzäöéß'")
        // No word that a rule knows has one of these letters.
        let foreign = Set("äöéß")
        for _ in 0..<Tier.count(500, long: 20_000) {
            let said = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                var word = ""
                repeat {
                    word = String(
                        (0..<Int.random(in: 2...9, using: &random)).map { _ in letters.randomElement(using: &random)! })
                    // I'd and I'm are words, whatever comes after the apostrophe.
                } while foreign.isDisjoint(with: word) || word.hasPrefix("i'")
                return word
            }
            let first = said[0].first!.uppercased() + said[0].dropFirst()
            let isSame = all.write(said, beginsSentence: false).text == said.joined(separator: " ")
            let isCapital = all.write(said).text == ([first] + said.dropFirst()).joined(separator: " ")
            if !isSame || !isCapital { Issue.record("\(said): \(all.write(said).text)") }
        }
    }
}
