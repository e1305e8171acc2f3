import Audio
import Foundation
import TestSupport
import Testing

@testable import Speech

/// Tests of what the library offers to programs and `utter` does not use.
@Suite("The library for programs")
struct LibraryTests {
    private static let fixture = Fixture.named("weekdays-awb")
    private static let model = ModelReference(path: Fixture.modelPath)

    private func results(_ preset: SpeechTranscriber.Preset, of fixture: Fixture = fixture) async throws
        -> [SpeechTranscriber.Result]
    {
        let transcriber = SpeechTranscriber(
            model: Self.model, reportingOptions: preset.reportingOptions, attributeOptions: preset.attributeOptions)
        let analyzer = try SpeechAnalyzer(
            inputSequence: Inputs(fixture.samples().cut(into: 4_000)), modules: [transcriber])
        async let results = transcriber.results.all()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        return try await results
    }

    @Test(
        "Each preset of a transcriber reports what its documentation promises",
        arguments: Tier.every(
            2,
            of: [
                (SpeechTranscriber.Preset.transcription, false, false, false),
                (.transcriptionWithAlternatives, false, true, false),
                (.timeIndexedTranscriptionWithAlternatives, false, true, true),
                (.progressiveTranscription, true, false, false),
                (.timeIndexedProgressiveTranscription, true, false, true),
            ]))
    func presets(preset: SpeechTranscriber.Preset, hasGuesses: Bool, hasAlternatives: Bool, hasTimes: Bool) async throws
    {
        // The model is less sure of this recording; the others have no alternatives.
        let fixture = Fixture.named("memo")
        let results = try await results(preset, of: fixture)
        let finals = results.filter { $0.isFinal && !$0.text.characters.isEmpty }
        #expect(finals.map { String($0.text.characters) }.joined() == fixture.transcript)
        #expect(results.contains { !$0.isFinal } == hasGuesses)
        #expect(finals.contains { $0.alternatives.count > 1 } == hasAlternatives)
        #expect(finals.allSatisfy { $0.text.runs.contains { $0.audioTimeRange != nil } } == hasTimes)
        // An empty one only withdraws a guess.
        #expect(hasGuesses || finals.count == results.count)
    }

    @Test("Recordings are read one after the other in one session")
    func recordings() async throws {
        let fixtures = ["weekdays-awb", "digits-awb"].map(Fixture.named)
        let transcriber = SpeechTranscriber(model: Self.model)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        for fixture in fixtures { _ = try await analyzer.analyzeSequence(from: AudioFile(path: fixture.path)) }
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        let text = Outcome(results: try await transcriber.allResults()).text
        #expect(text == fixtures.map(\.transcript).joined(separator: " "))
    }

    @Test("An analyzer that is created with its input begins with its context, and its finish says what is wrong")
    func createdWithInput() async throws {
        func analyzer(_ transcriber: SpeechTranscriber, _ phrase: String) -> SpeechAnalyzer {
            SpeechAnalyzer(
                inputSequence: Inputs([FakeEngine.speech([1])]), modules: [transcriber], options: nil,
                analysisContext: AnalysisContext(vocabulary: [phrase]))
        }
        let engine = FakeEngine(FakeEngine.Behaviour(vocabulary: ["1"]))
        let (first, second) = (Options().transcriber(engine: engine), Options().transcriber(engine: engine))
        #expect(await analyzer(first, "1").finishCode() == nil)
        #expect(Outcome(results: try await first.allResults()).text == "1")
        #expect(engine.counts.configurations.map(\.phrases) == [["1"]])
        #expect(await analyzer(first, "1").finishCode() == .moduleInUse)
        #expect(await analyzer(second, "2").finishCode() == .vocabularyNotSupported)
        let (results, error) = await second.results.allAndError()
        #expect(results.isEmpty && (error as? SpeechError)?.code == .vocabularyNotSupported)
    }

    @Test("The presets of a dictation differ in punctuation, guesses and times only")
    func dictationPresets() {
        typealias Preset = DictationTranscriber.Preset
        for (preset, punctuates, guesses, hasTimes) in [
            (Preset.phrase, false, false, false), (.shortDictation, true, false, false),
            (.longDictation, true, false, false), (.progressiveShortDictation, true, true, false),
            (.progressiveLongDictation, true, true, false), (.timeIndexedLongDictation, true, false, true),
        ] {
            #expect(
                preset
                    == Preset(
                        transcriptionOptions: punctuates ? [.punctuation] : [],
                        reportingOptions: guesses ? [.volatileResults] : [],
                        attributeOptions: hasTimes ? [.audioTimeRange] : []))
        }
    }

    @Test("The words of a text are found by their times")
    func wordsByTime() async throws {
        let finals = try await results(.timeIndexedProgressiveTranscription).filter {
            $0.isFinal && !$0.text.characters.isEmpty
        }
        let text = try #require(finals.first?.text)
        for word in finals[0].words {
            let found = try #require(text.rangeOfAudioTimeRangeAttributes(intersecting: word.range))
            #expect(String(text[found].characters).contains(word.text))
        }
        let all = try #require(text.rangeOfAudioTimeRangeAttributes(intersecting: finals[0].range))
        #expect(String(text[all].characters) == Self.fixture.transcript)
        let later = AudioTime(sampleCount: 1_600_000, sampleRate: 16_000)
        #expect(
            text.rangeOfAudioTimeRangeAttributes(
                intersecting: later..<AudioTime(sampleCount: 1_700_000, sampleRate: 16_000)) == nil)
    }

    @Test("A result takes the place of a guess at its range, with the space before it")
    func replacedByTime() {
        let said: [(words: [String], isFinal: Bool)] = [
            (["one"], true), (["two"], false), (["two", "three"], false), (["two", "three"], true), (["four"], true),
        ]
        var (text, settled) = (AttributedString(), Int64(0))
        for (words, isFinal) in said {
            let placed = words.enumerated().map { index, word in
                let start = settled + Int64(index) * 1_600
                return Hypothesis.Word(text: word, range: start..<start + 1_600, confidence: nil)
            }
            let end = settled + Int64(words.count) * 1_600
            let alternative = Hypothesis.Alternative(
                text: words.joined(separator: " "), words: placed, confidence: nil)
            let result = SpeechTranscriber.Result(
                Utterance(range: settled..<end, alternatives: [alternative], isFinal: isFinal), sampleRate: 16_000,
                attributes: [.audioTimeRange], followsText: settled > 0)
            if isFinal { settled = end }
            // As programs for Apple's framework have it.
            if let replaced = text.rangeOfAudioTimeRangeAttributes(intersecting: result.range) {
                text.replaceSubrange(replaced, with: result.text)
            } else {
                text.append(result.text)
            }
            #expect(result.text.runs.allSatisfy { $0.audioTimeRange != nil })
        }
        #expect(String(text.characters) == "one two three four")
    }

    @Test("The best format is the model's own, and there is none while the model is not installed")
    func bestFormat() async {
        let transcriber = SpeechTranscriber(model: Self.model)
        let format = await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber])
        #expect(format == AudioFormat(sampleRate: 16_000, channelCount: 1, encoding: .signed16))
        let missing = SpeechTranscriber(model: ModelReference(path: "/nonexistent"))
        #expect(await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber, missing]) == nil)
        func dictation(_ model: @escaping @Sendable () throws(SpeechError) -> SecondPassModel) -> DictationTranscriber {
            DictationTranscriber(setup: TranscriptionWorker.Setup(deciding: DecidingEngine(model: model)))
        }
        let there = dictation { () throws(SpeechError) in SecondPassModel(path: "", library: "") }
        #expect(await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber, there]) == format)
        let notThere = dictation { () throws(SpeechError) in throw SpeechError(.noModel, "there is no model") }
        #expect(await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber, notThere]) == nil)
    }

    @Test("A model of a transcript follows the results until they end") @MainActor
    func transcriptModel() async throws {
        let transcriber = SpeechTranscriber(model: Self.model, reportingOptions: [.volatileResults])
        let analyzer = try SpeechAnalyzer(
            inputSequence: Inputs(Self.fixture.samples().cut(into: 4_000)), modules: [transcriber])
        let model = TranscriptModel()
        async let ending: Void = analyzer.finalizeAndFinishThroughEndOfInput()
        try await model.follow(transcriber)
        try await ending
        #expect(String(model.transcript.text.characters) == Self.fixture.transcript)
        #expect(model.transcript.volatile.characters.isEmpty && !model.isFollowing)
    }

    @Test("A model that is kept for the process's lifetime goes when its retention ends, if no transcriber uses it")
    func endOfRetention() async throws {
        let natives = Natives()
        let cache = ModelCache(calls: natives.counting())
        var engine: VoskModel? = try await cache.engine(
            Self.model, endpointing: Endpointing(), retention: .processLifetime)
        withExtendedLifetime(engine) { cache.endRetention() }
        #expect(natives.counts.models == 1)
        engine = try await cache.engine(Self.model, endpointing: Endpointing(), retention: .processLifetime)
        engine = nil
        #expect(natives.counts.models == 1 && natives.counts.modelsEver == 1)
        cache.endRetention()
        // The task that looked for the model may hold it a moment longer.
        await natives.empty()
        // The same call for the process's models.
        await SpeechModels.endRetention()
    }
}
