import Audio
import Foundation
import Testing

@testable import Models
@testable import Speech

@Suite("The names of Apple's framework")
struct AppleNamesTests {
    private let fixture = Fixture.named("digits-awb")

    @Test("reserves locales, which changes nothing but the list")
    func reservations() async throws {
        let locale = Locale(identifier: "en-AU")
        #expect(try await AssetInventory.reserve(locale: locale))
        #expect(try await AssetInventory.reserve(locale: locale) == false)
        #expect(await AssetInventory.reservedLocales.contains(locale))
        #expect(await AssetInventory.release(reservedLocale: locale))
        #expect(await AssetInventory.release(reservedLocale: locale) == false)
        #expect(await AssetInventory.reservedLocales.count < AssetInventory.maximumReservedLocales)
    }

    @Test("finds that supported, installed and equivalent locales and the status of assets agree")
    func locales() async throws {
        for pass in RecognitionPass.allCases {
            let shelf = try ModelShelf()
            let empty = TranscriberLocales(of: pass, in: shelf.store)
            #expect(empty.installed.isEmpty)
        }
        let shelf = try ModelShelf()
        try shelf.putModels("vosk-model-tiny-en", "vosk-model-small-de-0.15")
        let locales = TranscriberLocales(of: .first, in: shelf.store)
        #expect(locales.supported.contains(Locale(identifier: "de")))
        #expect(locales.installed.contains(Locale(identifier: "de")))
        for locale in locales.supported {
            let module = SpeechTranscriber(locale: locale, preset: .transcription)
            let status = await AssetInventory.status(forModules: [module], in: shelf.store)
            #expect((status == .installed) == locales.installed.contains(locale), "\(locale.identifier)")
            #expect(locales.equivalent(to: locale) == locale)
        }
        for (spoken, expected) in [("de_AT", "de"), ("tlh", nil), ("de-DE", "de")] {
            #expect(locales.equivalent(to: Locale(identifier: spoken))?.identifier == expected)
        }
        let english = try #require(locales.equivalent(to: Locale(identifier: "en_001")))
        #expect(locales.installed.contains(english))
        // Programs look for the user's own locale, whatever it is.
        for (name, isSupported) in [("en_001", true), ("de_AT", true), ("tlh_001", false)] {
            let user = Locale(identifier: name)
            let locales = TranscriberLocales(of: .first, in: shelf.store, user: user)
            let found = locales.supported.filter { $0.identifier(.bcp47) == user.identifier(.bcp47) }
            #expect(found.count == (isSupported ? 1 : 0), "\(name)")
            #expect(locales.installed.contains { found.contains($0) } == isSupported, "\(name)")
            #expect((locales.equivalent(to: user) != nil) == isSupported)
        }
    }

    @Test("has options that change nothing here")
    func ignored() async throws {
        var texts: [String] = []
        for isPlain in [true, false] {
            let transcriber = DictationTranscriber(
                locale: Locale(identifier: "en-US"),
                contentHints: isPlain ? [] : [.shortForm, .farField, .atypicalSpeech],
                transcriptionOptions: isPlain ? [.punctuation] : [.punctuation, .emoji, .etiquetteReplacements],
                reportingOptions: isPlain ? [] : [.frequentFinalization, .alternativeTranscriptions],
                attributeOptions: [])
            #expect(transcriber.selectedLocales == [Locale(identifier: "en-US")])
            guard DictationTranscriber.isAvailable else { return }
            let missing: AssetInstallationRequest? = try await AssetInventory.assetInstallationRequest(
                supporting: [transcriber])
            guard missing == nil else { return }
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            try await analyzer.start(inputAudioFile: AudioFile(path: fixture.path), finishAfterFile: true)
            texts.append(Outcome(results: try await transcriber.results.all()).text)
        }
        #expect(texts[0] == texts[1] && !texts[0].isEmpty)
    }

    @Test("asks every module for its results in the same way")
    func generic() async throws {
        func finals<Module: SpeechModule>(_ module: Module) async throws -> Int {
            var count = 0
            for try await result in module.results where result.isFinal && !result.range.isEmpty { count += 1 }
            return count
        }
        let transcriber = SpeechTranscriber(model: ModelReference(path: Fixture.modelPath))
        let detector = SpeechDetector(reportResults: true)
        let analyzer = SpeechAnalyzer(modules: [transcriber, detector])
        try await analyzer.start(
            inputAudioFile: AudioFile(url: URL(fileURLWithPath: fixture.path)), finishAfterFile: true)
        #expect(try await finals(transcriber) > 0)
        #expect(try await finals(detector) > 0)
        let seconds = try #require(try AudioFile(path: fixture.path).duration?.seconds)
        #expect(seconds == Double(try fixture.samples().count) / 16_000)
    }

    private final class ForeignModule: SpeechModule {
        let results = ResultSequence<SpeechDetector.Result>(storage: ResultStorage())
        var availableCompatibleAudioFormats: [AudioFormat] { get async { [] } }
    }

    @Test("refuses a module of somebody else with a sentence, and no other module is used up by that")
    func foreignModule() async throws {
        let transcriber = SpeechTranscriber(model: ModelReference(path: Fixture.modelPath))
        let refusing = SpeechAnalyzer(modules: [transcriber, ForeignModule()])
        #expect(await code { try await refusing.prepareToAnalyze() } == .foreignModule)
        #expect(await code { try await refusing.analyzeSequence(Inputs([[1]])) } == .foreignModule)
        #expect(await refusing.finishCode() == .foreignModule)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await analyzer.start(inputAudioFile: AudioFile(path: fixture.path), finishAfterFile: true)
        #expect(Outcome(results: try await transcriber.allResults()).text == fixture.transcript)
    }

    /// The fixture, over and over.
    private func inputs(_ times: Int) throws -> [AnalyzerInput] {
        let samples = try fixture.samples()
        return (0..<times).flatMap { _ in samples.cut(into: 3_200).inputs }
    }

    /// The text of each final result that has one, and its start in lengths of the fixture.
    private func finals(_ transcriber: SpeechTranscriber) async throws -> [String] {
        let length = Double(try fixture.samples().count) / 16_000
        return try await transcriber.allResults().filter { $0.isFinal && !$0.text.characters.isEmpty }.map {
            "\(Int($0.range.start.seconds / length)) \($0.text.spoken)"
        }
    }

    @Test("leaves input out that ends before a time, and keeps the times of the rest")
    func cancelAnalysis() async throws {
        let (transcriber, analyzer) = Options().session()
        let count = Int64(try fixture.samples().count)
        _ = try await analyzer.analyzeSequence(Inputs(try inputs(1)))
        await analyzer.cancelAnalysis(before: AudioTime(sampleCount: 2 * count, sampleRate: 16_000))
        await analyzer.cancelAnalysis(before: .zero)
        try await analyzer.start(inputSequence: Inputs(try inputs(2)))
        try await analyzer.finish(after: AudioTime(sampleCount: 3 * count, sampleRate: 16_000))
        #expect(try await finals(transcriber) == ["0 \(fixture.transcript)", "2 \(fixture.transcript)"])
        let ledger = await transcriber.ledger
        #expect(ledger.missing == count, "\(ledger)")
    }

    @Test("finishes after a time with all that was read")
    func finishAfter() async throws {
        let (transcriber, analyzer) = Options().session()
        let feed = Feed()
        try await analyzer.start(inputSequence: feed.sequence)
        for block in try fixture.samples().cut(into: 3_200) { feed.give(block) }
        let end = AudioTime(sampleCount: Int64(try fixture.samples().count), sampleRate: 16_000)
        try await analyzer.finish(after: end)
        #expect(try await finals(transcriber) == ["0 \(fixture.transcript)"])
    }

    @Test("replaces modules between two inputs: one that goes has all before, one that comes has all after")
    func setModules() async throws {
        let (first, analyzer) = Options().session()
        let (second, third) = (Options().transcriber(), Options().transcriber())
        #expect(try await analyzer.analyzeSequence(Inputs(try inputs(1))) != nil)
        try await analyzer.finalize()
        try await analyzer.setModules([first, second])
        #expect(try await analyzer.analyzeSequence(Inputs(try inputs(1))) != nil)
        try await analyzer.finalize()
        try await analyzer.setModules([third, second])
        #expect(analyzer.modules.count == 2)
        let text = fixture.transcript
        // Its results have ended, though the session goes on.
        #expect(try await finals(first) == ["0 \(text)", "1 \(text)"])
        #expect(try await analyzer.analyzeSequence(Inputs(try inputs(1))) != nil)
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(try await finals(second) == ["1 \(text)", "2 \(text)"])
        #expect(try await finals(third) == ["2 \(text)"])
        #expect(await code { try await analyzer.setModules([]) } == .finished)
    }

    @Test("keeps its modules if one of the new ones is taken")
    func takenModule() async throws {
        let (transcriber, analyzer) = Options().session()
        let (taken, other) = Options().session()
        try await other.prepareToAnalyze()
        let free = Options().transcriber()
        #expect(await code { try await analyzer.setModules([free, taken]) } == .moduleInUse)
        #expect(analyzer.modules.count == 1)
        #expect(try await free.allResults().isEmpty)
        _ = try await analyzer.analyzeSequence(Inputs(try inputs(1)))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        #expect(try await finals(transcriber) == ["0 \(fixture.transcript)"])
        await other.cancelAndFinishNow()
    }

    @Test("says as a Foundation error what it says as its own")
    func foundationErrors() {
        let codes: [(SpeechError.Code, SFSpeechError.Code)] = [
            (.noModel, .noModel), (.audioDisordered, .audioDisordered), (.audioReadFailed, .audioReadFailed),
            (.insufficientSpace, .insufficientResources), (.moduleOutputFailed, .moduleOutputFailed),
            (.finished, .internalServiceError),
        ]
        for (code, expected) in codes {
            let ours = SpeechError(code, "a sentence")
            #expect(ours.errorCode == expected.rawValue && ours.errorUserInfo.count == 1)
            let error = ours as NSError
            #expect(error.domain == SFSpeechError.errorDomain && error.code == expected.rawValue)
            #expect(error.localizedDescription == "a sentence")
        }
        let unused: Set<SFSpeechError.Code> = [
            .incompatibleAudioFormats, .unexpectedAudioFormat, .assetLocaleNotAllocated,
            .tooManyAssetLocalesAllocated, .cannotAllocateUnsupportedLocale, .timeout, .missingParameter,
            .undefinedTemplateClassName, .malformedSupplementalModel,
        ]
        #expect(unused.isDisjoint(with: codes.map(\.1)))
    }

    @Test("is told that it may recognize speech")
    func permission() async {
        let answer = await withCheckedContinuation { continuation in
            SFSpeechRecognizer.requestAuthorization { continuation.resume(returning: $0) }
        }
        #expect(answer == .authorized && SFSpeechRecognizer.authorizationStatus() == answer)
        let others: [SFSpeechRecognizerAuthorizationStatus] = [.notDetermined, .denied, .restricted]
        #expect(!others.contains(answer))
    }
}
