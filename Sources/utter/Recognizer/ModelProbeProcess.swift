import Audio
import CLinux
import Foundation
import Glibc
import Speech

/// `utter --probe-model`, a process that `ModelProbe` starts: loads a model and lets it hear something. It says on standard output how far it
/// has come, a line each. What libvosk says on stderr is for the one who has started it.
enum ModelProbeProcess {
    static let option = "--probe-model"

    /// A line of what it says.
    enum Line: Equatable {
        /// The model has loaded, in so many seconds.
        case loaded(Double)
        /// It has heard something, in so many seconds.
        case decoded(Double)
        /// libvosk does not take it: a sentence.
        case refused(String)
        /// The recognizer does not return.
        case stopped

        var text: String {
            switch self {
            case .loaded(let seconds): "loaded \(seconds)"
            case .decoded(let seconds): "decoded \(seconds)"
            case .refused(let reason): "refused \(reason)"
            case .stopped: "stopped"
            }
        }

        init?(_ text: some StringProtocol) {
            let parts = String(text).split(separator: Character(" "), maxSplits: 1).map { String($0) }
            switch (parts.first, parts.count > 1 ? parts[1] : "") {
            case ("loaded", let rest): self = .loaded(Double(rest) ?? 0)
            case ("decoded", let rest): self = .decoded(Double(rest) ?? 0)
            case ("refused", let rest): self = .refused(rest)
            case ("stopped", _): self = .stopped
            default: return nil
            }
        }
    }

    /// What it is started with.
    struct Arguments: Equatable {
        /// Who starts it.
        var parent: pid_t
        var endpointing: Double?
        /// The model's folder.
        var path: String

        var words: [String] { [option, "\(parent)", endpointing.map { "\($0)" } ?? "-", path] }

        init(parent: pid_t = getpid(), endpointing: Double?, path: String) {
            (self.parent, self.endpointing, self.path) = (parent, endpointing, path)
        }

        /// - Parameter words: without the program's name.
        init?(_ words: [String]) {
            guard words.count == 4, words[0] == option, let parent = pid_t(words[1]) else { return nil }
            self.init(parent: parent, endpointing: Double(words[2]), path: words[3])
        }
    }

    static func run(_ arguments: Arguments) async -> ExitCode {
        // Not to go on computing when nobody waits for it any more.
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
        let model = SpeechModel(path: arguments.path)
        let rate = try InstalledModel(path: arguments.path).sampleRate()
        // As in a memo.
        let transcriber = SpeechTranscriber(
            model: model, reportingOptions: [.volatileResults, .fastResults],
            endpointing: Endpointing(trailingSilence: arguments.endpointing))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let clock = ContinuousClock()
        let loading = try await unlessRecognizerStops { try await clock.measure { try await analyzer.prepareToAnalyze() } }
        tell(.loaded(loading / .seconds(1)))
        let decoding = try await unlessRecognizerStops {
            try await clock.measure {
                let sound = AnalyzerInput(samples: ProbeSound.samples(sampleRate: rate), sampleRate: rate)
                _ = try await analyzer.analyzeSequence(SingleInput(sound))
                try await analyzer.finalizeAndFinishThroughEndOfInput()
            }
        }
        tell(.decoded(decoding / .seconds(1)))
    }

    private static func tell(_ line: Line) {
        _ = Descriptor.write(line.text.replacing("\n", with: " ") + "\n", to: STDOUT_FILENO)
    }
}
