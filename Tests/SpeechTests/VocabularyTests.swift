import Foundation
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("A vocabulary")
struct VocabularyTests {
    /// The grammars that were passed to libvosk; nil for a recognizer without one.
    private final class Grammars: Sendable {
        private let given = Collected<String?>()
        var all: [String?] { given.all }

        func recording() -> VoskCalls {
            var calls = VoskCalls.library
            calls.recognizerNew = { [self] model, rate, configuration in
                given.add(configuration.grammar.isEmpty ? nil : configuration.grammar)
                return VoskCalls.library.recognizerNew(model, rate, configuration)
            }
            return calls
        }
    }

    private static func context(_ phrases: [String]) -> AnalysisContext {
        AnalysisContext(vocabulary: phrases)
    }

    @Test(
        "without phrases has no effect: no empty grammar is passed to libvosk", arguments: [[], [""], [" ", "\t\n"]])
    func empty(_ phrases: [String]) async throws {
        let grammars = Grammars()
        let (transcriber, analyzer) = Options(calls: grammars.recording()).session()
        try await analyzer.setContext(Self.context(phrases))
        let fixture = Fixture.named("digits-awb")
        #expect(try await analyzer.outcome(of: fixture.samples(), transcriber).text == fixture.transcript)
        #expect(grammars.all == [nil])
    }

    @Test("omits phrases with words that the model does not know, and reports the words once")
    func unknownWords() async throws {
        let grammars = Grammars()
        let (transcriber, analyzer) = Options(calls: grammars.recording()).session()
        try await analyzer.setContext(
            Self.context([
                "lights  on", "florp on", "lights off", "open florp quux", "open\nclose", "play", "pause", "open",
                "close",
            ]))
        #expect(await transcriber.unknownContextualWords == ["florp", "quux"])
        let fixture = Fixture.named("lights-slt")
        #expect(try await analyzer.outcome(of: fixture.samples(), transcriber).text == fixture.transcript)
        #expect(
            grammars.all == [#"["lights on","lights off","open close","play","pause","open","close","[unk]"]"#])
    }

    @Test("without any word that the model knows is refused, and the previous one stays")
    func nothingKnown() async throws {
        let (_, analyzer) = Options().session()
        let known = Self.context(["lights on"])
        try await analyzer.setContext(known)
        let error = await #expect(throws: SpeechError.self) {
            try await analyzer.setContext(Self.context(["florp", "quux florp"]))
        }
        #expect(error?.code == .vocabularyNotSupported)
        #expect(error?.description.contains("florp, quux") == true)
        let context = await analyzer.context
        #expect(context.vocabulary == known.vocabulary && !known.vocabulary.isEmpty)
    }

    @Test("may change in mid-stream: earlier input becomes final with the old one", arguments: [16_000, 44_100])
    func change(rate: Int) async throws {
        let lights = Fixture.named("lights-slt"), digits = Fixture.named("digits-slt")
        let (transcriber, analyzer) = Options(reportsSilence: true).session()
        try await analyzer.setContext(Self.context(lights.phrases))
        // The input is in one piece: at another rate, samples that the converter holds back belong to the old vocabulary.
        let first = AnalyzerInput(samples: try lights.samples().converted(to: rate), sampleRate: rate)
        _ = try await analyzer.analyzeSequence(Inputs([first]))
        try await analyzer.setContext(AnalysisContext())
        let ledger = await transcriber.ledger
        let count = Int64(try lights.samples().count)
        #expect(ledger.pending == 0 && abs(ledger.delivered - count) <= 1)
        _ = try await analyzer.analyzeSequence(Inputs(digits.samples().cut(into: 3200)))
        try await analyzer.setContext(Self.context(lights.phrases))
        let outcome = try await analyzer.outcome(of: lights.samples(), transcriber)
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
        // No model with a fixed graph is small enough for the tests, so libvosk loads another one than the folder's.
        var calls = VoskCalls.library
        calls.modelNew = { _ in VoskCalls.library.modelNew(Fixture.modelPath) }
        let (_, analyzer) = Options(model: copy.path, calls: calls).session()
        #expect(await code { try await analyzer.setContext(Self.context(["one"])) } == .vocabularyNotSupported)
        // An empty vocabulary is accepted.
        try await analyzer.setContext(AnalysisContext())
        #expect(await analyzer.finishCode() == nil)
    }

    @Test("is not meant by contextual strings, which libvosk can't prefer: everything is heard")
    func preferred() async throws {
        let fixture = Fixture.named("digits-rms")
        let (transcriber, analyzer) = Options().session()
        try await analyzer.setContext(AnalysisContext(contextualStrings: [.general: ["monday", "nine"]]))
        #expect(try await analyzer.outcome(of: fixture.samples(), transcriber).text == fixture.transcript)
    }

    @Test("leaves speech that is not in it without text and without words")
    func restricts() async throws {
        let outcome = try await Options(phrases: ["nine"]).run(Fixture.named("digits-rms").samples())
        #expect(!outcome.text.contains("unk"))
        #expect(!outcome.words.contains { $0.text != "nine" })
    }
}
