import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A long silence")
struct SilenceGateTests {
    private static let second = 16_000

    /// The final utterances of a pipeline, and its ledger.
    private func finals(
        of samples: [Int16], skipsSilence: Bool, engine: any SpeechEngine, pieces: Int = 1600
    ) throws -> (utterances: [Utterance], ledger: SampleLedger) {
        var utterances: [Utterance] = []
        var settings = RecognitionPipeline.Settings(reportsSilence: true)
        settings.skipsSilence = skipsSilence
        let pipeline = try RecognitionPipeline(
            engine: engine, configuration: RecognizerConfiguration(), settings: settings
        ) { utterances.append($0) }
        for piece in samples.cut(into: pieces) {
            try piece.withUnsafeBufferPointer { piece throws(SpeechError) in try pipeline.append(piece) }
        }
        try pipeline.finalize()
        return (utterances, pipeline.ledger)
    }

    @Test("is not decoded beyond its first seconds")
    func isSkipped() throws {
        let silence = [Int16](repeating: 0, count: 60 * Self.second)
        let engine = FakeEngine()
        let (utterances, ledger) = try finals(of: silence, skipsSilence: true, engine: engine)
        #expect(engine.counts.accepts < 50, "of 600 blocks")
        #expect(utterances.allSatisfy { $0.text.isEmpty })
        #expect(ledger.delivered == Int64(silence.count) && ledger.silent == ledger.delivered)
    }

    @Test("takes no word from the speech before and after it, and no time")
    func wordsAreWhole() throws {
        let engine = try VoskModel(folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing())
        let fixture = try Fixture.named("digits-awb").samples()
        let silence = [Int16](repeating: 0, count: 9 * Self.second)
        let samples = fixture + silence + fixture + silence
        let (whole, _) = try finals(of: samples, skipsSilence: false, engine: engine)
        for pieces in Tier.every(2, of: [160, 1600, 5000]) {
            let (skipped, ledger) = try finals(of: samples, skipsSilence: true, engine: engine, pieces: pieces)
            let (texts, expected) = (skipped.filter { !$0.text.isEmpty }, whole.filter { !$0.text.isEmpty })
            #expect(texts.map(\.text) == expected.map(\.text) && texts.count >= 2)
            for (one, other) in zip(texts, expected) {
                #expect(abs(one.range.lowerBound - other.range.lowerBound) < Int64(Self.second))
                let ends = (one.alternatives[0].words.last?.range, other.alternatives[0].words.last?.range)
                #expect(abs((ends.0?.upperBound ?? 0) - (ends.1?.upperBound ?? .max)) <= 1600)
            }
            #expect(ledger.delivered == Int64(samples.count) && ledger.pending == 0)
            // The utterances follow each other through the whole stream.
            #expect(zip(skipped, skipped.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
            #expect(skipped.first?.range.lowerBound == 0 && skipped.last?.range.upperBound == Int64(samples.count))
        }
    }

}
