import Audio
import TestSupport
import Testing

@testable import utter

struct ArgumentParserTests {
    private enum Format: String, CaseIterable { case text, json, srt }

    private static let format = Option<Format>("format", short: "f", "FORMAT", help: "Format.")
    private static let output = Option<String>("output", short: "o", "FILE", .file, help: "Output.")
    private static let phrases = RepeatableOption("phrase", "TEXT", .text, help: "Phrase.")
    private static let rate = Option<Int>("rate", "HZ", 1000...768_000, help: "Rate.")
    private static let channel = Option<ChannelSelection>("channel", "N", help: "Channel.")
    private static let silence = Option<Double>("silence", "SECONDS", 0.1...10, help: "Silence.")
    private static let quiet = Flag("quiet", short: "q", help: "Quiet.")
    private static let verbose = Flag("verbose", short: "v", help: "Verbose.")

    private let specification = CommandSpecification(
        name: "try",
        abstract: "try the parser",
        operands: [OperandSpecification(placeholder: "FILE", kind: .file, help: "A file.", isRepeatable: true)],
        options: [format, output, phrases, rate, channel, silence, quiet, verbose])

    private func parse(_ arguments: String...) throws -> ParsedArguments {
        guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: specification) else {
            throw UsageError(message: "help or version", helpCommand: "")
        }
        return parsed
    }

    private func complaint(_ arguments: String...) -> String {
        do throws(UsageError) {
            return "accepted: \(try ArgumentParser.parse(arguments, by: specification))"
        } catch {
            return error.message
        }
    }

    @Test("A hyphen and a space begin a text, not an option")
    func list() throws {
        #expect(try parse("- {time} {text}", "-q").operands == ["- {time} {text}"])
    }

    @Test("A negative number stands where a text may, as the value of a setting")
    func negative() throws {
        func operands(_ arguments: String...) throws -> [String]? {
            guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .configSet) else { return nil }
            return parsed.operands
        }
        #expect(try operands("until-silence", "-1") == ["until-silence", "-1"])
        #expect(try operands("-q", "until-silence", "-.5") == ["until-silence", "-.5"])
        #expect(throws: UsageError.self) { try operands("-1", "until-silence") }
        #expect(throws: UsageError.self) { try operands("until-silence", "-x") }
        #expect(complaint("-1") == "-1 is not an option of utter try")
    }

    @Test(
        "An option's value may follow = or a space, or a letter directly",
        arguments: [["--format=json"], ["--format", "json"], ["-fjson"], ["-f", "json"]])
    func spellings(_ option: [String]) throws {
        for arguments in [option + ["a"], ["a"] + option] {
            let outcome = try ArgumentParser.parse(arguments, by: specification)
            guard case .arguments(let parsed) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(parsed[Self.format] == .json)
            #expect(parsed.operands == ["a"])
        }
    }

    @Test("Letters of flags may be joined, and the last of them may take a value")
    func clusters() throws {
        let parsed = try parse("-vqojson.txt", "a")
        #expect(parsed[Self.verbose] && parsed[Self.quiet])
        #expect(parsed[Self.output] == "json.txt")
        let apart = try parse("-qo", "x", "a")
        #expect(apart[Self.quiet] && !apart[Self.verbose])
        #expect(apart[Self.output] == "x")
        #expect(apart.operands == ["a"])
    }

    @Test("After -- everything is an operand, including another --")
    func terminator() throws {
        let parsed = try parse("-q", "--", "-v", "--format", "--", "-")
        #expect(parsed.operands == ["-v", "--format", "--", "-"])
        #expect(!parsed[Self.verbose])
    }

    @Test("A hyphen alone is an operand, and a value")
    func hyphen() throws {
        #expect(try parse("-").operands == ["-"])
        #expect(try parse("-o", "-", "a")[Self.output] == "-")
        #expect(try parse("-o-", "a")[Self.output] == "-")
    }

    @Test("A value keeps its own equals signs")
    func equalsInValue() throws {
        #expect(try parse("--phrase=a=b=", "a")[Self.phrases] == ["a=b="])
    }

    @Test("Every occurrence of a repeatable option counts; of any other option, the last one")
    func repetition() throws {
        let parsed = try parse("--phrase", "one", "a", "--phrase=two", "-ftext", "-f", "srt")
        #expect(parsed[Self.phrases] == ["one", "two"])
        #expect(parsed[Self.format] == .srt)
    }

    @Test("What wasn't given is absent")
    func absent() throws {
        let parsed = try parse("a")
        #expect(parsed[Self.format] == nil)
        #expect(parsed[Self.rate] == nil)
        #expect(parsed[Self.silence] == nil)
        #expect(parsed[Self.phrases].isEmpty)
        #expect(!parsed[Self.quiet])
    }

    @Test("An option that a command doesn't have counts as not given")
    func others() throws {
        let parsed = try parse("-q", "a")
        #expect(!parsed[Flag.json] && !parsed.has(Flag.json) && parsed[Flag.quiet.with(help: "Other words.")])
    }

    @Test("Numbers are numbers within their range, both ends included")
    func numbers() throws {
        #expect(try parse("--rate=1000", "a")[Self.rate] == 1000)
        #expect(try parse("--rate=768000", "a")[Self.rate] == 768_000)
        #expect(try parse("--silence", "0.1", "a")[Self.silence] == 0.1)
        #expect(try parse("--silence", "10", "a")[Self.silence] == 10)
        let mix = try parse("--channel=mix", "a")
        #expect(mix[Self.channel] == .mix && mix.has(Self.channel))
    }

    @Test(
        "What isn't a number in the range is refused with the range",
        arguments: ["999", "768001", "x", "1e4", "0x400", "16000 ", "99999999999999999999", "-16000"])
    func outOfRange(_ value: String) {
        #expect(
            complaint("--rate=\(value)", "a")
                == "--rate can't be '\(value)': give a whole number from 1000 to 768000")
    }

    @Test(
        "A decimal number is neither infinite nor NaN", arguments: ["nan", "inf", "0x1p1", "0.09", "10.01", "1,5"])
    func notDecimal(_ value: String) {
        #expect(complaint("--silence=\(value)", "a") == "--silence can't be '\(value)': give a number from 0.1 to 10")
    }

    @Test("Words that stand in for a number are named in the error")
    func wordsInRange() {
        #expect(
            complaint("--channel=65", "a") == "--channel can't be '65': give a whole number from 1 to 64 or mix")
    }

    @Test("An invalid choice is refused with the choices, spelled as typed")
    func choices() {
        #expect(complaint("-fdoc", "a") == "-f can't be 'doc': choose text, json or srt")
        #expect(complaint("--format=JSON", "a") == "--format can't be 'JSON': choose text, json or srt")
    }

    @Test("An unknown option is named with the one that was meant, if one is similar")
    func unknownLong() {
        #expect(complaint("--formt", "a") == "--formt is not an option of utter try; did you mean --format?")
        #expect(complaint("--out=x", "a") == "--out is not an option of utter try; did you mean --output?")
        #expect(complaint("--qiuet", "a") == "--qiuet is not an option of utter try; did you mean --quiet?")
        #expect(complaint("--colour=red", "a") == "--colour is not an option of utter try")
        #expect(complaint("---", "a") == "--- is not an option of utter try")
    }

    @Test("An unknown letter is named, and for a missing hyphen the option is suggested")
    func unknownShort() {
        #expect(complaint("-x", "a") == "-x is not an option of utter try")
        #expect(complaint("-vx", "a") == "-x is not an option of utter try")
        #expect(complaint("-rate=3", "a") == "-r is not an option of utter try; did you mean --rate?")
    }

    @Test("A missing value is reported, also if an option is in its place")
    func missingValue() {
        #expect(complaint("a", "--output") == "--output needs a value: --output FILE")
        #expect(complaint("a", "-qo") == "-o needs a value: -o FILE")
        #expect(
            complaint("--output", "--format", "json", "a")
                == "--output needs a value, and '--format' is an option; if you mean it, write --output=--format")
        #expect(
            complaint("-o", "-q", "a")
                == "-o needs a value, and '-q' is an option; if you mean it, write --output=-q")
        #expect(complaint("--output=", "a") == "--output was given an empty value")
    }

    @Test("A value may begin with a hyphen when it is no option")
    func hyphenatedValue() throws {
        #expect(try parse("--phrase", "-x marks the spot", "a")[Self.phrases] == ["-x marks the spot"])
        #expect(try parse("--output=--format", "a")[Self.output] == "--format")
    }

    @Test("A flag takes no value")
    func flagWithValue() {
        #expect(complaint("--quiet=yes", "a") == "--quiet takes no value")
    }

    @Test("Operands that are missing, too many or empty are reported")
    func operands() {
        #expect(complaint() == "a FILE is missing; - is standard input")
        #expect(complaint("--") == "a FILE is missing; - is standard input")
        #expect(complaint("a", "") == "an argument of utter try is empty")
        var single = specification
        single.operands[0].isRepeatable = false
        #expect(
            throws: UsageError(message: "'b' is one argument too many for utter try", helpCommand: "utter try --help")
        ) {
            try ArgumentParser.parse(["a", "b"], by: single)
        }
    }

    @Test("Help and version are answered wherever they are, without required operands")
    func helpAndVersion() throws {
        #expect(try ArgumentParser.parse(["--help"], by: specification) == .help)
        #expect(try ArgumentParser.parse(["-q", "-h", "--nonsense"], by: specification) == .help)
        #expect(try ArgumentParser.parse(["-vh"], by: specification) == .help)
        #expect(try ArgumentParser.parse(["--version"], by: specification) == .version)
        #expect(try parse("--", "--help").operands == ["--help"])
    }

    @Test("Random arguments are accepted or refused, and never trap")
    func randomArguments() {
        var generator = SplitMix64(for: #function)
        let pieces = ["-", "--", "=", "f", "o", "q", "format", "json", "rate", "16000", "a", "h", "\u{301}", ""]
        for _ in 0..<5000 {
            let arguments = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
                    .joined()
            }
            _ = try? ArgumentParser.parse(arguments, by: specification)
        }
    }

    @Test("An argument that isn't UTF-8 is refused by its visible form")
    func notUTF8() throws {
        #expect(try ArgumentDecoder.decode(Array("日.wav".utf8)) == "日.wav")
        let error = #expect(throws: UsageError.self) { try ArgumentDecoder.decode([0x63, 0xE9, 0x2E]) }
        #expect(error?.message.hasPrefix("the argument c\\xE9. is not UTF-8") == true)
    }

    @Test("The nearest word counts insertions, deletions, changes and swaps as one, and a tie is no answer")
    func suggestions() {
        #expect(Suggestion.edits(from: "format", to: "format") == 0)
        #expect(Suggestion.edits(from: "formt", to: "format") == 1)
        #expect(Suggestion.edits(from: "formaat", to: "format") == 1)
        #expect(Suggestion.edits(from: "fromat", to: "format") == 1)
        #expect(Suggestion.edits(from: "", to: "abc") == 3)
        #expect(Suggestion.nearest(to: "cat", among: ["bat", "hat"]) == nil)
        // A word with the same meaning goes before one that only looks alike, and both go after one that begins so.
        #expect(Suggestion.meant(by: "get", among: ["show", "set", "unset"]) == "show")
        #expect(Suggestion.meant(by: "note", among: ["memo", "notes"]) == "notes")
        #expect(Suggestion.nearest(to: "mode", among: ["model", "memo"]) == "model")
    }
}
