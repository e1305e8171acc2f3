import Audio
import TestSupport
import Testing

@testable import Speech

@Suite("The ledger and the ranges")
struct LedgerTests {
    private static let telling: Options = {
        var options = Options()
        options.reportsVolatile = true
        options.reportsSilence = true
        return options
    }()

    /// Checks what holds for every finished session that reports silences.
    private func check(_ outcome: Outcome, delivered: Int, from start: Int64 = 0) {
        #expect(outcome.ledger.delivered == Int64(delivered))
        #expect(outcome.ledger.transcribed + outcome.ledger.silent == outcome.ledger.delivered)
        #expect(outcome.ledger.pending == 0)

        var end = start
        for result in outcome.finals {
            #expect(result.range.lowerBound.sampleCount == end)
            end = result.range.upperBound.sampleCount
            var wordEnd = result.range.lowerBound
            for word in result.words {
                #expect(word.range.lowerBound >= wordEnd && word.range.upperBound <= result.range.upperBound)
                wordEnd = word.range.upperBound
            }
        }
        #expect(end == start + Int64(delivered) + outcome.ledger.missing)

        // A guess is replaced by a final with the same beginning; until then only other guesses come.
        var open: AudioTime?
        for result in outcome.results {
            if let open { #expect(result.range.lowerBound == open) }
            open = result.isFinal ? nil : result.range.lowerBound
        }
        #expect(open == nil)
        #expect(
            outcome.ledger.transcribed
                == outcome.utterances.map { $0.range.upperBound.sampleCount - $0.range.lowerBound.sampleCount }.reduce(
                    0, +))
    }

    @Test("tile the stream, for every fixture", arguments: Tier.every(6, of: Fixture.all))
    func tiles(_ fixture: Fixture) async throws {
        var options = Self.telling
        options.phrases = fixture.phrases
        let samples = try fixture.samples()
        let outcome = try await options.run(samples, blocks: 777)
        check(outcome, delivered: samples.count)
        #expect(outcome.text == fixture.transcript)
    }

    @Test("tile silence, noise and nothing")
    func tilesSilence() async throws {
        var generator = SplitMix64(for: "noise")
        let noise = (0..<Tier.count(80_000, long: 200_000)).map { _ in Int16.random(in: -300...300, using: &generator) }
        for samples in [noise, [Int16](repeating: 0, count: Tier.count(160_000, long: 400_000)), [1], []] {
            let outcome = try await Self.telling.run(samples)
            check(outcome, delivered: samples.count)
        }
    }

    @Test("tile recordings cut anywhere")
    func tilesCuts() async throws {
        var generator = SplitMix64(for: "ranges of cut recordings")
        let cache = ModelCache()
        for _ in 0..<Tier.count(6, long: 20) {
            let samples = try Fixture.plain.randomElement(using: &generator)!.samples()
            let cut = Array(samples.prefix(Int.random(in: 1...samples.count, using: &generator)))
            check(try await Self.telling.run(cut, cache: cache), delivered: cut.count)
        }
    }

    @Test(
        "count missing samples exactly, and times stay right after them",
        arguments: [1, 800, 8000, 16_000, 16_001, 80_000])
    func gaps(_ gap: Int64) async throws {
        // A word, a pause with a gap inside, and two words.
        let samples = FakeEngine.speech([1], gap: 20_000) + FakeEngine.speech([2, 3], gap: 10_000)
        let cut = 10_000
        let inputs = [
            AnalyzerInput(samples: Array(samples[..<cut]), sampleRate: 16_000),
            AnalyzerInput(
                buffer: AudioBlock(samples: Array(samples[cut...]), sampleRate: 16_000, position: Int64(cut) + gap)),
        ]
        let outcome = try await Self.telling.run(inputs, Self.telling.transcriber(engine: FakeEngine()))
        #expect(outcome.ledger.missing == gap)
        #expect(outcome.text == "1 2 3")
        #expect(outcome.words.map(\.range.lowerBound.sampleCount) == [0, 24_000 + gap, 38_000 + gap])
        #expect(outcome.words.map(\.range.upperBound.sampleCount) == [4000, 28_000 + gap, 42_000 + gap])
        #expect(outcome.ledger.pending == 0)
        #expect(outcome.ledger.delivered == Int64(samples.count))
    }

    @Test(
        "count missing samples of a real recording, less than a second and more", .long,
        arguments: [8000, 48_000] as [Int64])
    func realGaps(_ gap: Int64) async throws {
        let samples = try Fixture.named("memo").samples()
        let whole = try await Self.telling.run(samples)
        // In the middle of the pause between the second utterance and the third.
        let utterances = whole.utterances.dropFirst().prefix(2)
        let before = try #require(utterances.first?.words.last).range.upperBound.sampleCount
        let after = try #require(utterances.last?.words.first).range.lowerBound.sampleCount
        let cut = Int((before + after) / 2)
        let inputs = [
            AnalyzerInput(samples: Array(samples[..<cut]), sampleRate: 16_000),
            AnalyzerInput(
                buffer: AudioBlock(samples: Array(samples[cut...]), sampleRate: 16_000),
                bufferStartTime: AudioTime(sampleCount: Int64(cut) + gap, sampleRate: 16_000)),
        ]
        let outcome = try await Self.telling.run(inputs)
        #expect(outcome.ledger.missing == gap)
        #expect(outcome.text == whole.text)
        for (word, original) in zip(outcome.words, whole.words) {
            let shift = original.range.lowerBound.sampleCount < Int64(cut) ? 0 : gap
            // After a long gap the utterance begins again with other frames, so times may differ by 60 ms.
            let tolerance: Int64 = gap < 16_000 ? 0 : 960
            #expect(abs(word.range.lowerBound.sampleCount - original.range.lowerBound.sampleCount - shift) <= tolerance)
        }
        #expect(outcome.ledger.pending == 0)
    }

    @Test("count missing samples of input at another rate", arguments: [8000, 48_000])
    func gapsAtAnotherRate(_ rate: Int) async throws {
        let seconds = 2
        let quiet = [Int16](repeating: 0, count: rate)
        var start: Int64 = 0
        var inputs: [AnalyzerInput] = []
        // A second of sound, a gap of half a second, a second of sound, a gap of two seconds, a second of sound.
        for gap in [0.5, Double(seconds), 0] {
            inputs.append(AnalyzerInput(buffer: AudioBlock(samples: quiet, sampleRate: rate, position: start)))
            start += Int64(rate) + Int64(gap * Double(rate))
        }
        let outcome = try await Self.telling.run(inputs)
        #expect(outcome.ledger.missing == 40_000)
        #expect(outcome.ledger.delivered == 48_000)
        #expect(outcome.ledger.pending == 0)
        #expect(outcome.finals.last?.range.upperBound.sampleCount == 88_000)
    }

    @Test("of a stream that begins late: nothing is missing, and times begin there")
    func lateStart() async throws {
        let samples = FakeEngine.speech([7], gap: 12_000)
        let input = AnalyzerInput(buffer: AudioBlock(samples: samples, sampleRate: 16_000, position: 1_000_000))
        let outcome = try await Self.telling.run([input], Self.telling.transcriber(engine: FakeEngine()))
        #expect(outcome.ledger.missing == 0)
        #expect(outcome.words.map(\.range.lowerBound.sampleCount) == [1_000_000])
        check(outcome, delivered: samples.count, from: 1_000_000)
    }

    @Test("refuse input that begins before the end of the previous input, and keep that", arguments: [16_000, 48_000])
    func disordered(_ rate: Int) async throws {
        let (transcriber, analyzer) = Options().session()
        let fixture = Fixture.named("digits-awb")
        _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 3200)))
        let end = try AudioTime(sampleCount: Int64(fixture.samples().count), sampleRate: 16_000)
        var early = end.converted(toRate: rate)
        early.sampleCount -= Int64(rate) / 100
        let late = AnalyzerInput(
            buffer: AudioBlock(samples: [Int16](repeating: 0, count: rate), sampleRate: rate), bufferStartTime: early)
        #expect(await code { try await analyzer.analyzeSequence(Inputs([late])) } == .audioDisordered)
        #expect(await analyzer.finishCode() == .audioDisordered)
        let (results, error) = await transcriber.results.allAndError()
        #expect((error as? SpeechError)?.code == .audioDisordered)
        let outcome = Outcome(results: results, ledger: await transcriber.ledger)
        #expect(outcome.text == fixture.transcript)
        #expect(outcome.ledger.pending == 0)
    }

    @Test("have contiguous times even when the input's times were rounded at another rate")
    func roundedTimes() async throws {
        let samples = try Fixture.named("digits-awb").samples()
        var start: Int64 = 0
        let inputs = samples.cut(into: 1000).map { block in
            defer { start += Int64(block.count) }
            return AnalyzerInput(
                buffer: AudioBlock(samples: block, sampleRate: 16_000),
                bufferStartTime: AudioTime(sampleCount: start, sampleRate: 16_000).converted(toRate: 11_025))
        }
        let outcome = try await Self.telling.run(inputs)
        #expect(outcome.ledger.missing == 0)
        #expect(outcome.text == Fixture.named("digits-awb").transcript)
    }

    @Test("show a guess that comes to nothing as retracted")
    func retraction() async throws {
        var behaviour = FakeEngine.Behaviour()
        // The engine guesses a word, then withdraws it.
        behaviour.guess = { hypothesis, number in number < 0 ? .empty : hypothesis }
        var options = Options()
        options.reportsVolatile = true
        let transcriber = options.transcriber(engine: FakeEngine(behaviour))
        let outcome = try await options.run(
            FakeEngine.speech([1], gap: 20_000).cut(into: 1600).map { AnalyzerInput(samples: $0, sampleRate: 16_000) },
            transcriber)
        let guess = try #require(outcome.results.firstIndex { !$0.isFinal && !$0.text.characters.isEmpty })
        let answer = try #require(outcome.results[guess...].first { $0.isFinal })
        #expect(answer.text.characters.isEmpty)
        #expect(answer.range.lowerBound == outcome.results[guess].range.lowerBound)
        #expect(outcome.ledger.transcribed == 0)
    }
}
