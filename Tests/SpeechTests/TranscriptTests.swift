import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The text of a recording")
struct TranscriptTests {
    @Test("is exactly what was said, for every fixture", arguments: Fixture.all)
    func exact(_ fixture: Fixture) async throws {
        let outcome = try await Options(phrases: fixture.phrases).run(fixture.samples())
        #expect(outcome.text == fixture.transcript)
    }

    @Test(
        "is exactly what was said, for every recording of real people", .needsRecordings, arguments: Fixture.recordings)
    func exactForPeople(_ recording: Fixture) async throws {
        #expect(try await Options().run(recording.samples()).text == recording.transcript)
    }

    @Test("is the same, with its times, however the input is cut", arguments: Fixture.some)
    func cuts(_ fixture: Fixture) async throws {
        var generator = SplitMix64(for: "cuts of \(fixture.name)")
        let samples = try fixture.samples()
        let options = Options(phrases: fixture.phrases)
        let cache = ModelCache()
        let whole = try await options.run(samples, blocks: samples.count, cache: cache)
        #expect(whole.text == fixture.transcript)
        for _ in 0..<Tier.count(1, long: 3) {
            let blocks = samples.cut(upTo: 20_000, using: &generator)
            let cut = try await options.run(blocks.inputs, cache: cache)
            #expect(said(cut) == said(whole), "\(blocks.map(\.count))")
            #expect(cut.utterances.map(\.range) == whole.utterances.map(\.range))
        }
    }

    @Test("is the same the second time, with its times and confidences, whatever the model has heard in between")
    func secondTime() async throws {
        let natives = Natives()
        let cache = ModelCache(calls: natives.counting())
        let keeper = try await cache.engine(
            ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        var first: [String: [String]] = [:]
        for _ in 0..<Tier.count(2, long: 3) {
            for fixture in Fixture.somePlain {
                // With eight bits the sound is so rough that the results are sensitive to any difference.
                let samples = try fixture.samples().map { $0 & ~0xFF }
                let outcome = said(try await Options().run(samples, cache: cache))
                #expect(outcome == first[fixture.name, default: outcome], "\(fixture.name)")
                first[fixture.name] = outcome
            }
        }
        #expect(natives.counts.modelsEver == 1)
        withExtendedLifetime(keeper) {}
    }

    @Test("begins on a recognizer that was made beforehand, when the analyzer was prepared")
    func prepared() async throws {
        let natives = Natives()
        let cache = ModelCache(calls: natives.counting())
        let fixture = Fixture.named("digits-awb")
        let transcriber = Options().transcriber {
            try await cache.engine(
                ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        }
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await analyzer.prepareToAnalyze()
        let made = natives.counts.recognizersEver
        _ = try await analyzer.analyzeSequence(from: AudioFile(path: fixture.path))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(natives.counts.recognizersEver == made)
        var transcript = Transcript()
        for try await result in transcriber.results { transcript.apply(result) }
        #expect(String(transcript.finalized.characters) == fixture.transcript)
    }

    @Test("is the same when several transcribers work at once on one model")
    func parallel() async throws {
        let natives = Natives()
        let cache = ModelCache(calls: natives.counting())
        let keeper = try await cache.engine(
            ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for fixture in Fixture.somePlain + Fixture.somePlain {
                group.addTask { (try await Options().run(fixture.samples(), cache: cache).text, fixture.transcript) }
            }
            for try await (text, transcript) in group { #expect(text == transcript) }
        }
        #expect(natives.counts.modelsEver == 1)
        withExtendedLifetime(keeper) {}
    }

    @Test("is the same from two transcribers of one analyzer")
    func twoModules() async throws {
        let fixture = Fixture.named("memo")
        let cache = ModelCache()
        var volatile = Options()
        volatile.reportsVolatile = true
        let transcribers = [Options().transcriber(cache), volatile.transcriber(cache)]
        let analyzer = SpeechAnalyzer(modules: transcribers)
        async let first = transcribers[0].allResults()
        async let second = transcribers[1].allResults()
        _ = try await analyzer.analyzeSequence(Inputs(fixture.samples().cut(into: 5000)))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let outcomes = [Outcome(results: try await first), Outcome(results: try await second)]
        #expect(outcomes[0].text == fixture.transcript)
        #expect(said(outcomes[0]) == said(outcomes[1]))
    }

    @Test("is the same with volatile results and without, and with times for their words", arguments: Fixture.some)
    func volatileOrNot(_ fixture: Fixture) async throws {
        var options = Options(phrases: fixture.phrases)
        let without = try await options.run(fixture.samples())
        options.reportsVolatile = true
        let with = try await options.run(fixture.samples())
        options.configuration.volatileWordTimes = true
        options.attributes = [.audioTimeRange]
        let withTimes = try await options.run(fixture.samples())
        #expect(said(with) == said(without))
        #expect(said(withTimes) == said(without))
        #expect(with.finals.map(\.range) == without.finals.map(\.range))
        #expect(with.results.count > with.finals.count)
        #expect(withTimes.results.contains { !$0.isFinal && !$0.words.isEmpty })
        #expect(without.results.count == without.finals.count)
    }

    @Test("is the same from 44.1 and 48 kHz, and from 8 kHz within a word", arguments: Fixture.somePlain)
    func rates(_ fixture: Fixture) async throws {
        let samples = try fixture.samples()
        for rate in Tier.every(2, of: [8000, 48_000, 44_100]) {
            let inputs = try samples.converted(to: rate).cut(into: 4001).map {
                AnalyzerInput(samples: $0, sampleRate: rate)
            }
            let outcome = try await Options().run(inputs)
            if rate > 8000 {
                #expect(outcome.text == fixture.transcript, "\(rate) Hz")
            } else {
                let heard = outcome.text.split(separator: " "), said = fixture.transcript.split(separator: " ")
                #expect(heard.difference(from: said).count <= 2, "8 kHz: \(outcome.text)")
            }
            // Every sample is delivered, also those that the converter held back.
            #expect(abs(outcome.ledger.delivered - Int64(samples.count)) <= 1)
            #expect(outcome.ledger.pending == 0)
        }
    }
}
