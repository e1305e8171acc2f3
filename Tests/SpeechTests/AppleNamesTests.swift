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
        for name in ["vosk-model-tiny-en", "vosk-model-small-de-0.15"] {
            try FileManager.default.createSymbolicLink(
                atPath: shelf.storePath + "/" + name, withDestinationPath: Fixture.modelPath)
        }
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
}
