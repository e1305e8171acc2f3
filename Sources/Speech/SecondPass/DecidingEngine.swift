import Foundation
import Models

/// The engine that decides a transcriber's text, and when it is asked.
struct DecidingEngine: Sendable {
    /// Finds the model when a session begins.
    var model: @Sendable () throws(SpeechError) -> SecondPassModel
    /// The codes of the languages that may be spoken, such as `en`. Of several the model detects which; none allows all.
    var languages: [String] = []
    /// The names of the marks that may be dictated.
    var marks: [String] = []
    var punctuates = true
    /// Whether someone waits for each sentence. Otherwise stretches are decoded side by side.
    var isLive = true
    var guesses = DictationTranscriber.Guesses.rolling
    /// Whether sentences become final before a long pause.
    var finalizesFrequently = false
    /// The pause that ends an utterance, in seconds; nil for the standard.
    var closingPause: Double?
    /// The share of the time in which guesses are decoded while someone speaks.
    var guessShare = 0.36
    /// The most stretches to decode at a time; nil for one on each core.
    var width: Int?
    /// Whether the workers for files are kept for the next file.
    var isKept = false
    /// Receives a sentence when a worker stops for the first time.
    var report: @Sendable (String) -> Void = { _ in }

    /// Returns the use of the workers, of which the first begins to load the model.
    func lease(_ phrases: [String]) throws(SpeechError) -> EngineHosts.Lease {
        let model = try model()
        let setup = WorkerSetup(
            library: model.library, model: model.path, languages: languages, vocabulary: phrases,
            marks: marks, punctuates: punctuates,
            threads: isLive ? 2 : 1, guesses: isLive && guesses != .none)
        let width = isLive ? 1 : width ?? ProcessInfo.processInfo.activeProcessorCount
        return EngineHosts.lease(setup, program: model.program, width: width, isKept: isKept, report: report)
    }

    func settings(
        _ settings: RecognitionPipeline.Settings, _ sensitivity: SpeechSegmenter.Sensitivity
    ) -> DictationPipeline.Settings {
        let hasLanguages = languages.count != 1
        var desk =
            isLive
            ? DictationDesk.Settings.live(
                guesses, finalizesFrequently: finalizesFrequently, closingPause: closingPause,
                hasLanguages: hasLanguages)
            : .file(hasLanguages: hasLanguages)
        desk.share = guessShare
        return DictationPipeline.Settings(
            desk: desk, sensitivity: sensitivity, reportsVolatile: settings.reportsVolatile,
            reportsSilence: settings.reportsSilence, punctuates: punctuates)
    }
}
