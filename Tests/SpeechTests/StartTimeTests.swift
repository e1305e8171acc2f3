import Audio
import Testing

@testable import Speech

/// Times of inputs that have another unit than their samples.
@Suite("The start time of an input")
struct StartTimeTests {
    /// Runs a session with a word of a second, and another one that begins at a time.
    private func run(
        _ start: AudioTime
    ) async throws -> (ledger: SampleLedger, words: [AudioTime], code: SpeechError.Code?) {
        var behaviour = FakeEngine.Behaviour()
        behaviour.wordLength = 16_000
        let (transcriber, analyzer) = Options().session(engine: FakeEngine(behaviour))
        let inputs = [AudioTime.zero, start].enumerated().map { index, time in
            let samples = [Int16](repeating: Int16(index + 1), count: 16_000)
            return AnalyzerInput(buffer: AudioBlock(samples: samples, sampleRate: 16_000), bufferStartTime: time)
        }
        let code = await code { try await analyzer.analyzeSequence(Inputs(inputs)) }
        _ = await analyzer.finishCode()
        let (results, _) = await transcriber.results.allAndError()
        return (await transcriber.ledger, Outcome(results: results).words.map(\.range.lowerBound), code)
    }

    @Test("tells of sound that is missing, in any unit", arguments: [1, 2, 10, 24, 100, 600, 1_000, 16_000, 48_000])
    func gap(rate: Int) async throws {
        // A second, and the shortest that such a unit tells from a rounded time.
        for (count, length) in [(Int64(2 * rate), Int64(16_000)), (Int64(rate + 2), Int64(2 * 16_000 / rate))] {
            let (ledger, words, code) = try await run(AudioTime(sampleCount: count, sampleRate: rate))
            #expect(code == nil)
            #expect(ledger.missing == (count == 2 * rate ? 16_000 : length), "\(count) of \(rate) Hz")
            #expect(words == [time(0), time(16_000 + Int(ledger.missing))])
        }
    }

    @Test("before the end of the sound is an error, in any unit", arguments: [1, 10, 100, 600, 1_000, 48_000])
    func overlap(rate: Int) async throws {
        let (_, _, code) = try await run(AudioTime(sampleCount: 0, sampleRate: rate))
        #expect(code == .audioDisordered)
    }

    @Test("is none where the sound has no rate, which is the modules' error")
    func noRate() {
        #expect(AnalyzerInput(buffer: AudioBlock(samples: [0], sampleRate: 0, position: 0)).bufferStartTime == nil)
    }

    @Test("that is too late to be counted is an error", arguments: [16_000, 48_000])
    func endless(rate: Int) async throws {
        let (_, _, code) = try await run(AudioTime(sampleCount: .max, sampleRate: rate))
        #expect(code == .audioDisordered)
    }

    @Test("is the end of the sound where it is rounded, to samples, milliseconds or the frames of a film")
    func rounded() {
        for rate in [24, 25, 30, 100, 600, 1_000, 44_100, 48_000, 90_000, 1_000_000] {
            for count in stride(from: Int64(1), to: 2_000_000, by: 1_237) {
                let end = AudioTime(sampleCount: count, sampleRate: 16_000)
                let earlier = end.converted(toRate: rate)
                #expect(earlier.isNext(to: end), "\(earlier) is \(end)")
                let later = AudioTime(sampleCount: earlier.sampleCount + 1, sampleRate: rate)
                #expect(later.isNext(to: end), "\(later) is \(end)")
            }
        }
    }

    @Test("is not the end of the sound where it is a second off", arguments: [1, 2, 8, 24, 600, 1_000, 48_000])
    func apart(rate: Int) {
        let end = AudioTime(sampleCount: 16_000 * 5, sampleRate: 16_000)
        for seconds in [4, 6] {
            #expect(!AudioTime(sampleCount: Int64(seconds * rate), sampleRate: rate).isNext(to: end))
        }
    }
}
