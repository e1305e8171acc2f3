import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("A pause in speech")
struct SpeechPauseTests {
    private func tone(_ milliseconds: Int, level: Int16 = 3_000) -> [Int16] {
        (0..<milliseconds * 16).map { ($0 / 20) % 2 == 0 ? level : -level }
    }

    private func hush(_ milliseconds: Int) -> [Int16] { tone(milliseconds, level: 20) }

    @Test("is detected after a fifth of a second, wherever the samples are cut; neither a breath nor a key ends it")
    func moments() {
        var generator = SplitMix64(for: "pause-cuts")
        // Alternate durations of quiet and loud sound, in milliseconds, including a breath and the keys of a keyboard.
        let keys = Array(repeating: [10, 50], count: 15).flatMap(\.self)
        let parts = [500, 500, 150, 300, 600, 90, 400] + keys + [10, 250, 200, 190]
        let samples = parts.enumerated().flatMap { $0 % 2 == 0 ? hush($1) : tone($1) }
        let moment: Int64 = 16 * (500 + 500 + 150 + 300 + 200)
        for _ in 0..<20 {
            var pause = SpeechPause(sampleRate: 16_000)
            let events = samples.cut(upTo: 1600, using: &generator).compactMap { pause.hear($0) }
            #expect(events == [.began(at: moment), .ended])
            #expect(pause.moments == [moment])
            pause.forget(through: moment - 1)
            #expect(pause.moments == [moment])
            pause.forget(through: moment)
            #expect(pause.moments.isEmpty)
        }
    }

    private enum Event: Equatable {
        case pause(RecognitionPipeline.Pause)
        case final(Utterance)
    }

    private func events(_ blocks: [[Int16]], engine: any SpeechEngine, reportsVolatile: Bool = true) throws -> [Event] {
        var events: [Event] = []
        let pipeline = try RecognitionPipeline(
            engine: engine, configuration: RecognizerConfiguration(),
            settings: RecognitionPipeline.Settings(
                reportsVolatile: reportsVolatile, reportsSilence: true, keepsSamples: true),
            notePause: { events.append(.pause($0)) }, emit: { if $0.isFinal { events.append(.final($0)) } })
        for block in blocks {
            try block.withUnsafeBufferPointer { block throws(SpeechError) in try pipeline.append(block) }
        }
        try pipeline.finalize()
        return events
    }

    /// For each utterance, whether the last pause before its end was announced with exactly the utterance's samples.
    private func foreseen(_ events: [Event]) -> [Bool] {
        var announced: [Int16]?
        return events.compactMap { event in
            switch event {
            case .pause(.began(let samples)): announced = samples
            case .pause(.ended): announced = nil
            case .final(let utterance) where !utterance.text.isEmpty:
                defer { announced = nil }
                return announced == utterance.samples
            case .final: break
            }
            return nil
        }
    }

    private func finals(_ events: [Event]) -> [Utterance] {
        events.compactMap { if case .final(let utterance) = $0 { utterance } else { nil } }
    }

    @Test("is announced with the samples that the utterance then has, and is withdrawn when the speech goes on")
    func announced() throws {
        var generator = SplitMix64(for: "pauses")
        for _ in 0..<Tier.count(20, long: 500) {
            var samples = [Int16](repeating: 0, count: 1_600)
            var pauses = 0
            let count = Int.random(in: 1...4, using: &generator)
            for _ in 0..<count {
                for word in 0..<Int.random(in: 1...4, using: &generator) {
                    // Some words follow at once, some after a pause.
                    let gap = word == 0 ? 0 : [800, 5_600].randomElement(using: &generator)!
                    if gap > 3_200 { pauses += 1 }
                    samples += [Int16](repeating: 0, count: gap)
                    samples += [Int16](repeating: .random(in: 2_000...20_000, using: &generator), count: 4_000)
                }
                samples += [Int16](repeating: 0, count: .random(in: 12_000...24_000, using: &generator))
            }
            let reportsVolatile = Bool.random(using: &generator)
            let blocks = samples.cut(upTo: 20_000, using: &generator).flatMap { $0.cut(into: 1600) }
            let heard = try events(blocks, engine: FakeEngine(), reportsVolatile: reportsVolatile)
            #expect(foreseen(heard) == Array(repeating: true, count: count))
            #expect(heard.count { $0 == .pause(.ended) } >= pauses, "each pause inside is taken back")
            #expect(finals(heard).map(\.samples).reduce([], +) == samples, "every sample once")
            let whole = try events([samples], engine: FakeEngine(), reportsVolatile: reportsVolatile)
            #expect(finals(heard) == finals(whole), "however the samples are cut")
        }
    }

    @Test("is not announced if the level does not show it, and the utterance still ends after its last word")
    func unnoticed() throws {
        let samples = FakeEngine.speech([7, 8]) + [Int16](repeating: 0, count: 16_000)
        let heard = try events(samples.cut(into: 1600), engine: FakeEngine())
        #expect(foreseen(heard) == [false])
        #expect(finals(heard)[0].range.upperBound == 8_000 + 1_600)
    }

    @Test(
        "is detected in recorded speech as by the engine, and no word is cut",
        arguments: Tier.every(4, of: Fixture.plain + Fixture.recordings))
    func recorded(_ fixture: Fixture) throws {
        let engine = try VoskModel(folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing())
        let samples = try fixture.samples() + [Int16](repeating: 0, count: 24_000)
        let heard = try events(samples.cut(into: 800), engine: engine)
        var plain: [Utterance] = []
        let pipeline = try RecognitionPipeline(
            engine: engine, configuration: RecognizerConfiguration(), settings: RecognitionPipeline.Settings()
        ) { plain.append($0) }
        try samples.withUnsafeBufferPointer { samples throws(SpeechError) in try pipeline.append(samples) }
        try pipeline.finalize()
        #expect(
            finals(heard).filter { !$0.text.isEmpty }.map(\.alternatives) == plain.map(\.alternatives),
            "the words and their times")
        #expect(!foreseen(heard).contains(false), "the second pass begins before the engine is sure")
    }
}
