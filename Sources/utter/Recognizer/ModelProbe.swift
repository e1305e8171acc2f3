import Glibc
import Models
import Speech
import System

/// Tries a model: loads it and has it hear a sentence. The process that has the model may crash or never return.
struct ModelProbe {
    typealias Outcome = SecondPassModel.ProbeOutcome

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

    func run() async -> Outcome {
        do {
            if deciding != nil || model.pass == .second {
                return try await (deciding ?? .installed(model.path)).probe(
                    SpokenSentence.samples(sampleRate: SecondPassModel.sampleRate), language: knowsEnglish ? "en" : nil,
                    timeLimit: .seconds(timeLimit))
            }
            let (loading, decoding, text) = try await model.hearSentence(
                endpointing: Endpointing(trailingSilence: endpointSilence))
            return .works(loading: loading, decoding: decoding, text: text)
        } catch {
            return .refused(CommandError(error).message)
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
        case .crashed(SIGKILL, _):
            let memory = Memory.available.map { "the \($0 >> 20) MB there are" } ?? "there is"
            return
                "the model \(model.path) takes more memory than \(memory); it may be damaged, or too large for this machine"
        case .crashed(let signal, let hasLoaded):
            let name = String(cString: strsignal(signal)).lowercased()
            return
                "the model \(model.path) crashed the recognizer \(stage(hasLoaded)) (signal \(signal), \(name))"
                + "; it may be damaged or made for another version"
        case .late(let hasLoaded):
            return
                "the recognizer did not finish in \(timeLimit) s \(stage(hasLoaded)) the model \(model.path); it may be damaged"
        case .failed(let reason): return "the model \(model.path) could not be tried: \(reason)"
        }
    }
}

extension SecondPassModel.ProbeOutcome {
    /// The time that a working model takes to load, such as ` in 0.4 s`; empty for another outcome.
    var time: String {
        guard case .works(let loading, _, _) = self else { return "" }
        return " in \(Decimals.fixed(loading / .seconds(1), decimals: 1)) s"
    }
}
