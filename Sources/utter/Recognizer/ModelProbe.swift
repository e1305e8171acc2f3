import Glibc
import Models
import Speech
import System

/// Tries a model in a process of its own, since a damaged one may crash or never return.
struct ModelProbe {
    /// The result of the trial.
    enum Outcome: Equatable {
        /// The model loads and decodes, in so many seconds.
        case works(loading: Double, decoding: Double)
        /// The library refused the model, with a sentence that says why.
        case refused(String)
        /// The process crashed.
        ///
        /// - Parameters:
        ///   - signal: the signal that ended it.
        ///   - reason: the library's last message; nil when there is none.
        ///   - hasLoaded: whether the model had loaded.
        case crashed(signal: Int32, reason: String?, hasLoaded: Bool)
        /// The recognizer does not return.
        case stopped(hasLoaded: Bool)
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
            guard case .works(let loading, _) = self else { return "" }
            return " in \(Decimals.fixed(loading, decimals: 1)) s"
        }
    }

    /// The time limit in seconds, for a large model on a slow disk. A recognizer that does not return is found sooner.
    static let timeLimit = 300

    let model: InstalledModel
    /// The silence that ends an utterance, in seconds; nil for the model's own.
    var endpointSilence: Double?
    /// The folder of the marks that `ModelTrial` leaves.
    var trials = ModelTrial.defaultFolder()

    /// Starts the process and waits for its end.
    func run() async -> Outcome {
        let available = Memory.available
        if model.pass == .second { return await runSecondPass(available: available) }
        let words = ModelProbeProcess.Arguments(endpointing: endpointSilence, path: model.path).words
        let program = BoundedProgram(
            "/proc/self/exe", words, environment: ["SWIFT_BACKTRACE": "enable=no"], timeLimit: .seconds(Self.timeLimit))
        return Self.outcome(await program.run(), available: available)
    }

    /// Tries a model of the second pass in a worker of the second pass.
    private func runSecondPass(available: Int?) async -> Outcome {
        let model: SecondPassModel
        do throws(SpeechError) { model = try .installed(self.model.path) } catch { return .refused(error.description) }
        let sound = ProbeSound.samples(sampleRate: SecondPassModel.sampleRate)
        switch await model.probe(sound, timeLimit: .seconds(Self.timeLimit)) {
        case .works(let loading, let decoding):
            return .works(loading: loading / .seconds(1), decoding: decoding / .seconds(1))
        case .refused(let reason): return .refused(reason)
        case .crashed(SIGKILL, _): return .needsMemory(available: available)
        case .crashed(let signal, let hasLoaded): return .crashed(signal: signal, reason: nil, hasLoaded: hasLoaded)
        case .late(let hasLoaded): return .late(seconds: Self.timeLimit, hasLoaded: hasLoaded)
        case .failed(let reason): return .failed(reason)
        }
    }

    /// The outcome that the output and the end of a process mean.
    static func outcome(_ finished: BoundedProgram.Finished, available: Int?) -> Outcome {
        let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n").compactMap {
            ModelProbeProcess.Line($0)
        }
        let errors = String(decoding: finished.errors, as: UTF8.self).split(separator: "\n").map(String.init)
        var loading: Double?
        for line in lines { if case .loaded(let seconds) = line { loading = seconds } }
        let hasLoaded = loading != nil
        let isMemory = errors.contains { $0.contains("bad_alloc") || $0.contains("Cannot allocate memory") }
        switch (finished.end, lines.last) {
        case (.exited(0), .decoded(let decoding)): return .works(loading: loading ?? 0, decoding: decoding)
        case (.exited, .stopped): return .stopped(hasLoaded: hasLoaded)
        case (.exited, .refused(let reason)):
            return isMemory || reason.contains("bad_alloc") ? .needsMemory(available: available) : .refused(reason)
        case (.killed(SIGKILL), _): return .needsMemory(available: available)
        case (.killed(let signal), _):
            return isMemory
                ? .needsMemory(available: available)
                : .crashed(signal: signal, reason: reason(errors), hasLoaded: hasLoaded)
        case (.stopped, _): return .late(seconds: timeLimit, hasLoaded: hasLoaded)
        case (.notStarted(let errno), _):
            return .failed("no process can be started to load it: \(String(cString: strerror(errno)))")
        case (.exited(let code), _): return .failed("the process that loads it ended with status \(code)")
        }
    }

    /// The error message among the lines, without its place in libvosk's source.
    private static func reason(_ errors: [String]) -> String? {
        let marks = ["ASSERTION_FAILED", "ERROR", "FATAL", "what():"]
        guard let line = marks.lazy.compactMap({ mark in errors.last { $0.contains(mark) } }).first else { return nil }
        if let end = line.range(
            of: ") ", range: (line.range(of: "(VoskAPI")?.upperBound ?? line.startIndex)..<line.endIndex)
        {
            return String(line[end.upperBound...]).trimming
        }
        return (line.range(of: ": ").map { String(line[$0.upperBound...]) } ?? line).trimming
    }

    /// A sentence about a model that does not work; nil when it works.
    func problem(_ outcome: Outcome) -> String? {
        func stage(_ hasLoaded: Bool) -> String { hasLoaded ? "while it decoded" : "while it loaded" }
        switch outcome {
        case .works: return earlierProblem
        case .refused(let reason): return reason
        case .crashed(let signal, let reason, let hasLoaded):
            let name = String(cString: strsignal(signal)).lowercased()
            return
                "the model \(model.path) crashed the recognizer \(stage(hasLoaded)) (signal \(signal), \(name)\(reason.map { ": " + $0 } ?? ""))"
                + "; it may be damaged or made for another version"
        case .stopped(let hasLoaded):
            return
                "the recognizer did not return \(stage(hasLoaded)) the model \(model.path); it may be damaged or made for another version"
        case .late(let seconds, let hasLoaded):
            return "the recognizer did not finish in \(seconds) s \(stage(hasLoaded)) the model \(model.path)"
        case .needsMemory(let available):
            let memory = available.map { "the \($0 >> 20) MB there are" } ?? "there is"
            return
                "the model \(model.path) takes more memory than \(memory); it may be damaged, or too large for this machine"
        case .failed(let reason): return "the model \(model.path) could not be tried: \(reason)"
        }
    }
}

extension ModelProbe {
    /// A fault that a memo has found in a model that works here, for real speech uses more of a model than the built-in sound.
    private var earlierProblem: String? {
        switch (try? ModelTrial.verdict(on: model.path, in: trials, onlyLooks: true)) ?? nil {
        case .crashed:
            "the model \(model.path) loads, but crashed the recognizer in a memo; it may be damaged or made for another version"
        case .stopped:
            "the model \(model.path) loads, but the recognizer hung in a memo; it may be damaged or made for another version"
        case .diedLoading, nil: nil
        }
    }
}

extension String {
    fileprivate var trimming: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
