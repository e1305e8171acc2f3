import Foundation
import Speech
import Testing
import TestSupport
import TextRules

@testable import utter

@Suite("Writing final text")
struct WritingTests {
    private static let all = Set(TextRules.Rule.allCases)

    private func writing(_ rules: Set<TextRules.Rule> = all, filter: String? = nil, limit: Duration = .seconds(60)) -> (
        Writing, Collected<String>
    ) {
        let warnings = Collected<String>()
        let filter = filter.map { TextFilter($0, timeLimit: limit) { warnings.add($0) } }
        return (Writing(TextRules(rules, language: .named("en")), filter: filter), warnings)
    }

    /// A segment with half a second for each word.
    private func segment(_ text: String, pass: String? = nil) -> TranscribedSegment {
        let words = text.split(separator: " ").enumerated().map { index, word in
            TranscribedWord(
                text: String(word), start: Double(index) / 2, end: Double(index) / 2 + 0.5,
                confidence: index % 2 == 0 ? 0.9 : 0.5)
        }
        return TranscribedSegment(
            text: text, start: 0, end: words.last?.end ?? 0, confidence: 0.7, words: words, pass: pass)
    }

    @Test("Words keep their times, a joined word has the lowest of the confidences, and the heard text is kept")
    func times() async throws {
        let written = try #require(
            await writing().0.written(segment("on may second nineteen sixty five comma new line done")))
        #expect(
            written.text == "On May 2, 1965,\nDone"
                && written.heard == "on may second nineteen sixty five comma new line done")
        #expect(written.words.map(\.text) == ["On", "May", "2,", "1965,", "Done"])
        #expect(
            written.words.map(\.start) == [0, 0.5, 1, 1.5, 4.5] && written.words.map(\.end) == [0.5, 1, 1.5, 3.5, 5])
        #expect(written.words.map(\.confidence) == [0.9, 0.5, 0.9, 0.5, 0.5] && written.confidence == 0.7)
        #expect(written.lines == "On May 2, 1965,\nDone")
    }

    @Test("If no rule matches, or there are no rules, a segment is unchanged")
    func unchanged() async {
        let odd = segment("so  it\tis")
        #expect(await writing([.numbers, .marks, .commands]).0.written(odd) == odd)
        #expect(await writing([]).0.written(segment("twenty five")) == segment("twenty five"))
        var scratch = segment("scratch that")
        scratch.takesBack = true
        #expect(await writing().0.written(segment("scratch that")) == scratch)
        #expect(await writing().0.written(nil) == nil)
    }

    @Test("The rules write text of the first pass, and text without punctuation of the second, but no punctuated text")
    func onlyOnce() async {
        let punctuated = segment("I said one hundred, i think.", pass: "second")
        #expect(await writing().0.written(punctuated) == punctuated)
        #expect(await writing().0.written(segment("one hundred", pass: "first"))?.text == "100")
        #expect(await writing().0.written(segment("one hundred", pass: "second"))?.text == "100")
    }

    @Test(
        "A command within the text of a stronger model is a segment of its own, with its times, and other text is one")
    func commandInside() async {
        let writing = writing().0
        let parts = writing.divided(segment("At five, scratch that, at six.", pass: "second"))
        #expect(parts.map(\.text) == ["At five,", "scratch that,", "At six."])
        #expect(parts.map(\.start) == [0, 1, 2] && parts.map(\.end) == [1, 2, 3])
        #expect(parts.last?.words.map(\.text) == ["At", "six."])
        var taken: [Bool?] = []
        for part in parts { taken.append(await writing.written(part)?.takesBack) }
        #expect(taken == [false, true, false])
        #expect(writing.divided("At five, scratch that, at six.", of: .second) == parts.map(\.text))
        var detected = segment("At five, scratch that, at six.", pass: "second")
        detected.language = "en"
        #expect(Writing(TextRules(Self.all, language: nil)).divided(detected).map(\.text) == parts.map(\.text))
        for (text, pass) in [("At five, scratch that, at six.", RecognitionPass.first), ("so  it is. Fine.", .second)] {
            #expect(writing.divided(text, of: pass) == [text])
            #expect(writing.divided(segment(text, pass: pass.rawValue)) == [segment(text, pass: pass.rawValue)])
        }
    }

    // MARK: The user's command

    @Test("The command gets the text after the rules, and its output is the text; the words have times")
    func filter() async throws {
        let (writing, warnings) = writing(filter: "sed 's/25 cows/a whole herd of cows/; s/$/!/'")
        let written = try #require(await writing.written(segment("the twenty five cows")))
        #expect(written.text == "The a whole herd of cows!" && written.heard == "the twenty five cows")
        #expect(written.words.map(\.text) == ["The", "a", "whole", "herd", "of", "cows!"])
        #expect(written.words.first?.start == 0 && written.words.last?.end == 2)
        #expect(zip(written.words, written.words.dropFirst()).allSatisfy { $0.end <= $1.start })
        #expect(warnings.all == [])
        #expect(await self.writing([], filter: "tr a-z A-Z").0.written("one two", of: .first)?.text == "ONE TWO")
        #expect(await self.writing([], filter: "cat").0.written("one two", of: .first) == nil)
    }

    @Test(
        "A command that fails changes nothing, and is reported once",
        arguments: [
            ("exit 3", "the command of --filter ended with exit status 3"),
            ("echo x; kill -9 $$", "was killed by signal 9"),
            ("printf '\\377'", "printed text that is not UTF-8"),
            ("no-such-program-here", "ended with exit status 127"),
            ("head -c 100000 /dev/zero | tr '\\0' x", "far too much"),
        ])
    func failingFilter(command: String, complaint: String) async {
        let (writing, warnings) = writing([], filter: command)
        for _ in 0..<2 { #expect(await writing.written(segment("one two")) == segment("one two")) }
        #expect(warnings.all.count == 1 && warnings.all.first?.contains(complaint) == true, "\(warnings.all)")
    }

    @Test("A command that takes too long is ended, and changes nothing")
    func slowFilter() async {
        let (writing, warnings) = writing([], filter: "exec sleep 1000", limit: .milliseconds(50))
        #expect(await writing.written(segment("one two")) == segment("one two"))
        #expect(warnings.all.first?.contains("took more than") == true)
    }

    @Test("A text for which the command prints nothing is not written")
    func emptyFilter() async throws {
        let written = try #require(await writing([], filter: "true").0.written(segment("one two")))
        #expect(written.text == "" && written.heard == "one two" && written.words == [])
        #expect(TextFormatter().segment(written) == "")
    }

    // MARK: A memo

    @Test("A memo gets both the heard and the written text, and a capital only where a sentence begins")
    func memo() async throws {
        let writing = writing().0
        let speech = try #require(await writing.written("so it is twenty five", of: .first))
        #expect(
            speech
                == WrittenSpeech(heard: "so it is twenty five", text: "So it is 25", textInsideSentence: "so it is 25"))
        #expect(await writing.written("Peter is here.", of: .second) == nil)
        // A model begins with a capital also where a sentence goes on.
        #expect(
            await writing.written("So it is.", of: .second)
                == WrittenSpeech(heard: "So it is.", text: "So it is.", textInsideSentence: "so it is."))
        #expect(await writing.written("Scratch that.", of: .second)?.takesBack == true)
        let loud = self.writing(filter: "sed 's/$/!/'").0
        #expect(await loud.written("so", of: .first)?.textInsideSentence == "so!")
    }

    // MARK: Options

    private func options(_ words: [String]) throws -> WritingOptions {
        guard case .arguments(let arguments) = try ArgumentParser.parse(words, by: .listen) else {
            throw UsageError(message: "no arguments", helpCommand: "")
        }
        return WritingOptions(arguments)
    }

    @Test("The rules are a list, all or none")
    func ruleList() throws {
        #expect(try options([]).rules == nil)
        #expect(try options(["--rules", "numbers, marks"]).rules == [.numbers, .marks])
        #expect(try options(["--rules", "none"]).rules == [] && options(["--rules", "all"]).rules == Self.all)
        for wrong in ["number", "numbers,none", "numbers,,marks", ","] {
            #expect(throws: UsageError.self) { try options(["--rules", wrong]) }
        }
        #expect(
            ValueKind.rules.complaint(about: "number")
                == "can't be 'number': give some of numbers, capitals, marks and commands with commas between them, or all or none"
        )
    }

    @Test(
        "Replacements are read from the file that is set, or else from the one beside the configuration, if there is one"
    )
    func replacementFiles() throws {
        let sandbox = Sandbox()
        let environment = ["HOME": sandbox.file("home")]
        func replaced(_ file: String?) throws -> String {
            var options = WritingOptions()
            options.replacements = file
            let writing = try Writing(options, standard: [], language: nil, environment: environment) { _ in }
            return writing.rules.write(["linux"]).text
        }
        #expect(try replaced(nil) == "linux")
        try FileManager.default.createDirectory(
            atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
        sandbox.put("linux = Linux\n", in: "home/.config/utter/replacements.txt")
        let other = sandbox.put("linux = GNU/Linux\n", in: "other.txt")
        #expect(try replaced(nil) == "Linux" && replaced(other) == "GNU/Linux" && replaced("none") == "linux")

        func complaint(_ file: String) -> CommandError? {
            do { _ = try replaced(file) } catch { return error as? CommandError }
            return nil
        }
        let missing = complaint(sandbox.file("missing"))
        #expect(missing?.exitCode == .noInput && missing?.message.hasSuffix("there is no such file") == true)
        let wrong = sandbox.put("a = b\nnonsense\n", in: "wrong.txt")
        #expect(complaint(wrong)?.exitCode == .dataError)
        #expect(complaint(wrong)?.message.contains("wrong.txt: line 2 has neither an equals sign nor a tab") == true)
        #expect(
            complaint(sandbox.put([0xFF, 0x3D], in: "latin.txt"))?.message.hasSuffix("it is not a text file in UTF-8")
                == true)
        #expect(complaint(sandbox.path)?.exitCode == .noInput)
    }

    @Test("Only spoken line breaks break lines of text")
    func lines() {
        var said = TranscribedSegment(text: "dear anna,\n\nthank\tyou\n", start: 0, end: 1)
        #expect(TextFormatter().segment(said) == "dear anna, thank you\n")
        said.hasOwnLines = true
        #expect(TextFormatter().segment(said) == "dear anna,\n\nthank you\n")
        #expect(TSVFormatter(TranscriptLabels()).segment(said) == "0.00\t1.00\tdear anna, thank you\n")
    }
}
