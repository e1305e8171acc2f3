import Glibc
import Models
import Speech
import System

/// Tries a model: loads it and has it hear a sentence. The process that has the model may crash or never return.
struct ModelProbe {
    /// The result of the trial.
    enum Outcome: Equatable {
        /// The model loads and decodes, in so many seconds, and has heard this text.
        case works(loading: Double, decoding: Double, text: String)
        /// The library refused the model, with a sentence that says why.
        case refused(String)
        /// The process crashed.
        ///
        /// - Parameters:
        ///   - signal: the signal that ended it.
        ///   - hasLoaded: whether the model had loaded.
        case crashed(signal: Int32, hasLoaded: Bool)
        /// The process took longer than the time limit, in seconds.
        case late(seconds: Int, hasLoaded: Bool)
        /// There was not enough memory.
        ///
        /// - Parameter available: the memory that was available, in bytes; nil when that is not known.
        case needsMemory(available: Int?)
        /// The process could not be started, or was ended from outside.
        case failed(String)

        /// The time that a working model takes to load, such as ` in 0.4 s`; empty for another outcome.
        var time: String {
            guard case .works(let loading, _, _) = self else { return "" }
            return " in \(Decimals.fixed(loading, decimals: 1)) s"
        }
    }

    let model: InstalledModel
    /// The deciding model, where it is not an installed one; nil for `model`.
    var deciding: SecondPassModel?
    /// Whether the model is for English, so that it must hear the English words of the sentence.
    var knowsEnglish = false
    /// The silence that ends an utterance, in seconds; nil for the model's own.
    var endpointSilence: Double?

    /// The time limit for a deciding model to load and hear, in seconds: two minutes, and more for a large model on a slow disk, five at
    /// most.
    var timeLimit: Int { min(300, 120 + model.diskSize / 10_000_000) }

    /// Tries the model.
    func run() async -> Outcome {
        if deciding != nil || model.pass == .second { return await runSecondPass(available: Memory.available) }
        do {
            return try await runFirstPass()
        } catch {
            return .refused(CommandError(error).message)
        }
    }

    /// Tries a model of libvosk's with the options of a memo.
    private func runFirstPass() async throws -> Outcome {
        let rate = try model.sampleRate()
        let transcriber = SpeechTranscriber(
            model: ModelReference(path: model.path), reportingOptions: [.volatileResults, .fastResults],
            endpointing: Endpointing(trailingSilence: endpointSilence))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let clock = ContinuousClock()
        let loading = try await clock.measure { try await analyzer.prepareToAnalyze() }
        let samples = try SpokenSentence.samples(sampleRate: rate)
        let text = Task { try await transcriber.finalText }
        let decoding = try await clock.measure {
            _ = try await analyzer.analyzeSequence(SingleInput(AnalyzerInput(samples: samples, sampleRate: rate)))
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        }
        return .works(loading: loading / .seconds(1), decoding: decoding / .seconds(1), text: try await text.value)
    }

    /// Tries a model of the second pass in a worker of the second pass.
    private func runSecondPass(available: Int?) async -> Outcome {
        let (model, sound): (SecondPassModel, [Int16])
        do {
            model = try deciding ?? .installed(self.model.path)
            sound = try SpokenSentence.samples(sampleRate: SecondPassModel.sampleRate)
        } catch {
            return .refused(CommandError(error).message)
        }
        let timeLimit = timeLimit
        switch await model.probe(sound, language: knowsEnglish ? "en" : nil, timeLimit: .seconds(timeLimit)) {
        case .works(let loading, let decoding, let text):
            return .works(loading: loading / .seconds(1), decoding: decoding / .seconds(1), text: text)
        case .refused(let reason): return .refused(reason)
        case .crashed(SIGKILL, _): return .needsMemory(available: available)
        case .crashed(let signal, let hasLoaded): return .crashed(signal: signal, hasLoaded: hasLoaded)
        case .late(let hasLoaded): return .late(seconds: timeLimit, hasLoaded: hasLoaded)
        case .failed(let reason): return .failed(reason)
        }
    }

    /// A sentence about a model that does not work; nil when it works.
    func problem(_ outcome: Outcome) -> String? {
        func stage(_ hasLoaded: Bool) -> String { hasLoaded ? "while it decoded" : "while it loaded" }
        switch outcome {
        case .works(_, _, let text):
            return SpokenSentence.doubt(about: text, knowsEnglish: knowsEnglish).map {
                "the model \(model.path) loads, but \($0); it may be damaged: remove it and install it again"
            }
        case .refused(let reason): return reason
        case .crashed(let signal, let hasLoaded):
            let name = String(cString: strsignal(signal)).lowercased()
            return
                "the model \(model.path) crashed the recognizer \(stage(hasLoaded)) (signal \(signal), \(name))"
                + "; it may be damaged or made for another version"
        case .late(let seconds, let hasLoaded):
            return
                "the recognizer did not finish in \(seconds) s \(stage(hasLoaded)) the model \(model.path); it may be damaged"
        case .needsMemory(let available):
            let memory = available.map { "the \($0 >> 20) MB there are" } ?? "there is"
            return
                "the model \(model.path) takes more memory than \(memory); it may be damaged, or too large for this machine"
        case .failed(let reason): return "the model \(model.path) could not be tried: \(reason)"
        }
    }
}
