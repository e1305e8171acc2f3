import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("A vocabulary")
struct VocabularyTests {
    /// The grammars that libvosk was given; `nil` for a recognizer without.
    private final class Grammars: Sendable {
        private let given = Mutex<[String?]>([])
        var all: [String?] { given.withLock { $0 } }

        func recording() -> VoskCalls {
            var calls = VoskCalls.library
            calls.recognizerNew = { [self] model, rate in
                given.withLock { $0.append(nil) }
                return VoskCalls.library.recognizerNew(model, rate)
            }
            calls.recognizerNewGrammar = { [self] model, rate, grammar in
                given.withLock { $0.append(grammar) }
                return VoskCalls.library.recognizerNewGrammar(model, rate, grammar)
            }
            return calls
        }
    }

    private static func context(_ phrases: [String]) -> AnalysisContext { AnalysisContext(contextualStrings: [.general: phrases]) }

    @Test("is written as JSON whatever its phrases hold, and never empty")
    func grammar() throws {
        var generator = SplitMix64(for: "grammars")
        let scalars: [Unicode.Scalar] = ["\"", "\\", "[", "]", ",", "\u{0}", "\n", "\u{1F}", "\u{7F}", "é", "가", "😀", "\u{2028}", "a", " "]
        for _ in 0..<500 {
            let phrases = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 1...10, using: &generator)).map { _ in scalars.randomElement(using: &generator)! }))
            }
            let text = VoskModel.grammar(phrases)
            let decoded = try JSONDecoder().decode([String].self, from: Data(text.utf8))
            let expected = phrases.map { phrase in
                String(String.UnicodeScalarView(phrase.unicodeScalars.map { $0.value < 32 ? " " : $0 }))
            }
            #expect(decoded == expected + ["[unk]"])
        }
    }

    @Test("without phrases is none: libvosk is not given an empty grammar", arguments: [[], [""], [" ", "\t\n"]])
    func empty(_ phrases: [String]) async throws {
        let grammars = Grammars()
        let (transcriber, analyzer) = Options(calls: grammars.recording()).session()
        try await analyzer.setContext(Self.context(phrases))
        let fixture = Fixture.named("digits-awb")
        _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3200)))
        try await analyzer.finalizeAndFinish()
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
        #expect(grammars.all == [nil])
    }

    @Test("leaves out phrases with words that the model does not know, and names the words once")
    func unknownWords() async throws {
        let grammars = Grammars()
        let (transcriber, analyzer) = Options(calls: grammars.recording()).session()
        try await analyzer.setContext(
            Self.context(["lights  on", "florp on", "lights off", "open florp quux", "open\nclose", "play", "pause", "open", "close"]))
        #expect(await transcriber.unknownContextualWords == ["florp", "quux"])
        let fixture = Fixture.named("lights-slt")
        _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3200)))
        try await analyzer.finalizeAndFinish()
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
        #expect(grammars.all == [#"["lights on", "lights off", "open close", "play", "pause", "open", "close", "[unk]"]"#])
    }

    @Test("of which the model knows nothing is refused, and the one before stays")
    func nothingKnown() async throws {
        let (_, analyzer) = Options().session()
        let known = Self.context(["lights on"])
        try await analyzer.setContext(known)
        let error = await #expect(throws: SpeechError.self) { try await analyzer.setContext(Self.context(["florp", "quux florp"])) }
        #expect(error?.code == .vocabularyNotSupported)
        #expect(error?.description.contains("florp, quux") == true)
        #expect(await analyzer.context == known)
    }

    @Test("may change in mid-stream: what came before is final under the old one", arguments: [16_000, 44_100])
    func change(rate: Int) async throws {
        let lights = Fixture.named("lights-slt"), digits = Fixture.named("digits-slt")
        let (transcriber, analyzer) = Options(reportsSilence: true).session()
        try await analyzer.setContext(Self.context(lights.phrases))
        // In one piece: at another rate, what the converter holds back belongs to the old vocabulary.
        let first = AnalyzerInput(samples: try lights.samples().converted(to: rate), sampleRate: rate)
        _ = try await analyzer.analyzeSequence(Inputs([first]))
        try await analyzer.setContext(AnalysisContext())
        let ledger = await transcriber.ledger
        let count = Int64(try lights.samples().count)
        #expect(ledger.pending == 0 && abs(ledger.delivered - count) <= 1)
        _ = try await analyzer.analyzeSequence(Inputs(digits.samples().cut(into: 3200)))
        try await analyzer.setContext(Self.context(lights.phrases))
        _ = try await analyzer.analyzeSequence(Inputs(lights.samples().cut(into: 3200)))
        try await analyzer.finalizeAndFinish()
        let outcome = Outcome(results: try await transcriber.allResults(), ledger: await transcriber.ledger)
        #expect(outcome.text == [lights, digits, lights].map(\.transcript).joined(separator: " "))
        #expect(outcome.ledger.pending == 0)
        let again = try #require(outcome.words.last { $0.text == "lights" })
        #expect(outcome.words.first?.text == "lights")
        let offset = Int64(try lights.samples().count + digits.samples().count)
        #expect(again.range.lowerBound.sampleCount > offset)
    }

    @Test("is refused by a model with a fixed graph")
    func fixedGraph() async throws {
        let copy = try ModelCopy {
            try ModelCopy.move($0 + "/graph/HCLr.fst", to: $0 + "/graph/HCLG.fst")
            try ModelCopy.remove($0 + "/graph/Gr.fst")
        }
        // There is no such model small enough to be here, so libvosk is given another behind the folder's back.
        var calls = VoskCalls.library
        calls.modelNew = { _ in VoskCalls.library.modelNew(Fixture.modelPath) }
        let (_, analyzer) = Options(model: copy.path, calls: calls).session()
        #expect(await code { try await analyzer.setContext(Self.context(["one"])) } == .vocabularyNotSupported)
        // None at all is fine.
        try await analyzer.setContext(AnalysisContext())
        #expect(await analyzer.finishCode() == nil)
    }

    @Test("leaves what is not in it without text, and out of the words")
    func restricts() async throws {
        let outcome = try await Options(phrases: ["nine"]).run(Fixture.named("digits-rms").samples())
        #expect(!outcome.text.contains("unk"))
        #expect(!outcome.words.contains { $0.text != "nine" })
    }
}
