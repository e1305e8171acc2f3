import CLinux
import Foundation
import Glibc
import Models
import Speech
import System

/// `utter --probe-model`, a process that `ModelProbe` starts: loads a model and has it hear a spoken sentence. It reports each step in a line on
/// standard output. `ModelProbe` also reads what libvosk writes to the standard error.
enum ModelProbeProcess {
    static let option = "--probe-model"

    /// A line of the process's standard output.
    enum Line: Equatable {
        /// The model has loaded, in so many seconds.
        case loaded(Double)
        /// The model has heard this text in the sound.
        case heard(String)
        /// The model has decoded the sound, in so many seconds.
        case decoded(Double)
        /// libvosk refused the model, with a sentence that says why.
        case refused(String)
        /// The recognizer does not return.
        case stopped

        var text: String {
            switch self {
            case .loaded(let seconds): "loaded \(seconds)"
            case .heard(let text): "heard \(text)"
            case .decoded(let seconds): "decoded \(seconds)"
            case .refused(let reason): "refused \(reason)"
            case .stopped: "stopped"
            }
        }

        init?(_ text: some StringProtocol) {
            let parts = String(text).split(separator: Character(" "), maxSplits: 1).map { String($0) }
            switch (parts.first, parts.count > 1 ? parts[1] : "") {
            case ("loaded", let rest): self = .loaded(Double(rest) ?? 0)
            case ("heard", let rest): self = .heard(rest)
            case ("decoded", let rest): self = .decoded(Double(rest) ?? 0)
            case ("refused", let rest): self = .refused(rest)
            case ("stopped", _): self = .stopped
            default: return nil
            }
        }
    }

    /// The arguments of the process.
    struct Arguments: Equatable {
        /// The process that starts it.
        var parent: pid_t
        /// The silence that ends an utterance, in seconds; nil for the model's own.
        var endpointing: Double?
        /// The model's folder.
        var path: String

        var words: [String] { [option, "\(parent)", endpointing.map { "\($0)" } ?? "-", path] }

        init(parent: pid_t = getpid(), endpointing: Double?, path: String) {
            (self.parent, self.endpointing, self.path) = (parent, endpointing, path)
        }

        /// Reads the process's arguments.
        ///
        /// - Parameter words: the arguments without the program's name.
        /// - Returns: nil when they are not those of this process.
        init?(_ words: [String]) {
            guard words.count == 4, words[0] == option, let parent = pid_t(words[1]) else { return nil }
            self.init(parent: parent, endpointing: Double(words[2]), path: words[3])
        }
    }

    static func run(_ arguments: Arguments) async -> ExitCode {
        // End with the parent, so as not to compute when nobody waits for the result.
        if clinux_end_with_parent() != 0 || getppid() != arguments.parent { return .software }
        Memory.limitProcess()
        do {
            try await probe(arguments)
            return .ok
        } catch is RecognizerStopped {
            tell(.stopped)
        } catch {
            tell(.refused(CommandError(error).message))
        }
        return .unavailable
    }

    private static func probe(_ arguments: Arguments) async throws {
        let model = ModelReference(path: arguments.path)
        let rate = try InstalledModel(path: arguments.path).sampleRate()
        // With the options of a memo.
        let transcriber = SpeechTranscriber(
            model: model, reportingOptions: [.volatileResults, .fastResults],
            endpointing: Endpointing(trailingSilence: arguments.endpointing))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let clock = ContinuousClock()
        let loading = try await unlessRecognizerStops {
            try await clock.measure { try await analyzer.prepareToAnalyze() }
        }
        tell(.loaded(loading / .seconds(1)))
        let samples = try SpokenSentence.samples(sampleRate: rate)
        let text = Task { try await transcriber.finalText }
        let decoding = try await unlessRecognizerStops {
            try await clock.measure {
                let sound = AnalyzerInput(samples: samples, sampleRate: rate)
                _ = try await analyzer.analyzeSequence(SingleInput(sound))
                try await analyzer.finalizeAndFinishThroughEndOfInput()
            }
        }
        tell(.heard(try await text.value))
        tell(.decoded(decoding / .seconds(1)))
    }

    private static func tell(_ line: Line) {
        _ = Descriptor.write(line.text.replacing("\n", with: " ") + "\n", to: STDOUT_FILENO)
    }
}
