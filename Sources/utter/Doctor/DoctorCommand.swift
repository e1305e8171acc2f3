import Audio
import Foundation
import Glibc
import Outbox
import Speech

extension CommandSpecification {
    static let doctor = CommandSpecification(
        name: "doctor",
        abstract: "say what is missing on this machine, and what mends it",
        discussion: [
            "Looks at everything that a memo needs, from the recognizer to the notes, and at what other commands can use. For each it "
                + "says that it is fine, or what is wrong and the command that mends it.",
            "It listens to the microphone for a moment, and keeps nothing.",
        ],
        options: [
            .flag("json", help: "Write JSON."),
            .value("notes", "DIR", .folder, help: "Look at this folder of notes, as utter memo --notes would use it."),
        ] + CaptureOptions.specifications + RecognitionOptions.specifications,
        examples: [Example(command: "utter doctor", meaning: "Check everything.")],
        exitStatuses: [ExitStatus(code: .unavailable, meaning: "A memo would not work: the answer says why.")])
}

/// Carries out `utter doctor`.
func runDoctor(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting {
        let doctor = Doctor(try MemoOptions(arguments))
        let findings = await doctor.examine()
        if arguments.has("json") {
            try Output.write("[\n" + findings.map(\.json).joined(separator: ",\n") + "\n]\n")
        } else {
            let width = findings.map(\.subject.count).max() ?? 0
            try Output.write(findings.map { $0.text(subjectWidth: width) }.joined())
        }
        return findings.contains(where: \.isBroken) ? .unavailable : .ok
    }
}

/// Looks at everything that a memo needs.
struct Doctor {
    private let options: MemoOptions
    private let environment = ProcessInfo.processInfo.environment

    init(_ options: MemoOptions) { self.options = options }

    func examine() async -> [Finding] {
        var findings = [recognizer()]
        findings.append(await model())
        findings += await microphone()
        findings += [priority(), notes(), journal(), ffmpeg(), locale(), terminal()]
        return findings
    }

    private func recognizer() -> Finding {
        // libvosk does not tell its version; what it exports does.
        let symbols = dlopen(nil, RTLD_NOW)
        let isNewer = dlsym(symbols, "vosk_recognizer_set_endpointer_delays") != nil
        return Finding(subject: "libvosk", words: isNewer ? "0.3.50 or newer" : "0.3.45 or so", kind: .fine)
    }

    private func model() async -> Finding {
        let subject = "model"
        do {
            let choice = ModelChoice(model: options.recognition.model, locale: options.recognition.locale)
            let installed = try choice.model.resolved()
            let analyzer = SpeechAnalyzer(modules: [
                SpeechTranscriber(model: SpeechModel(path: installed.path), endpointing: options.recognition.endpointing)
            ])
            try await analyzer.prepareToAnalyze()
            await analyzer.cancelAndFinishNow()
            if installed.isBuiltIn {
                return Finding(
                    subject: subject, words: "\(installed.name) loads; it knows 133 words and can't take dictation",
                    kind: .lacking(mend: ModelChoice.dictationModelCommand))
            }
            return Finding(subject: subject, words: "\(installed.name) loads", kind: .fine)
        } catch {
            return Finding(
                subject: subject, words: CommandError(error).message, kind: .broken(mend: ModelChoice.dictationModelCommand))
        }
    }

    /// Whether it can be opened, and whether it hears anything.
    private func microphone() async -> [Finding] {
        let subject = "microphone"
        let choosing = "utter devices lists what there is; choose with --device, UTTER_DEVICE, or device in \(Settings.path(environment))"
        var configuration = options.capture.configuration
        configuration.sampleLimit = Int64(configuration.sampleRate / 2)
        let tap = CaptureTap(configuration)
        do {
            try await tap.start()
            var verdict = LevelVerdict(sampleRate: configuration.sampleRate)
            for try await block in tap.blocks { verdict.add(block.samples) }
            await tap.stop()
            let format = tap.deviceFormat.map { " at \($0.sampleRate) Hz, \($0.channelCount) ch" } ?? ""
            let isMute = verdict.loudest == -.infinity
            return [
                Finding(
                    subject: subject,
                    words: "\(configuration.device) delivers sound\(format)" + (isMute ? ", all of it digital silence" : ""),
                    kind: isMute ? .lacking(mend: "unmute it (alsamixer, F4), then: utter devices --test \(configuration.device)") : .fine)
            ]
        } catch let error as CaptureError {
            let mend =
                switch error.code {
                case .permissionDenied: "sudo usermod -aG audio $USER, and log in again"
                case .busy: "end the program that records from it (fuser -v /dev/snd/*); " + choosing
                case .unreachable: "systemctl --user start pipewire-pulse || pulseaudio --start"
                default: choosing
                }
            return [Finding(subject: subject, words: error.description, kind: .broken(mend: mend))]
        } catch {
            return [Finding(subject: subject, words: CommandError(error).message, kind: .broken(mend: choosing))]
        }
    }

    /// Only hardware devices are read with it.
    private func priority() -> Finding {
        var limit = rlimit()
        let isGranted = getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0 && limit.rlim_cur >= 10 || geteuid() == 0
        let subject = "real-time priority"
        if isGranted { return Finding(subject: subject, words: "granted, for hardware devices", kind: .fine) }
        return Finding(
            subject: subject, words: "not granted; on a busy machine a hardware device may lose sound",
            kind: .lacking(
                mend: "echo '@audio - rtprio 20' | sudo tee /etc/security/limits.d/audio.conf, and log in again as a member of the group audio"))
    }

    private func notes() -> Finding {
        let path = options.notes.path
        do throws(OutboxError) {
            try MarkdownVault(options.notes).prepare()
            guard access(path, W_OK | X_OK) == 0 else { throw OutboxError("write", path: path, errno: errno) }
            return Finding(subject: "notes", words: path, kind: .fine)
        } catch {
            return Finding(
                subject: "notes", words: error.description,
                kind: .broken(mend: "choose another folder with --notes, UTTER_NOTES, or notes in \(Settings.path(environment))"))
        }
    }

    private func journal() -> Finding {
        let folder = MemoJournal.defaultFolder(environment)
        do {
            let journal = try MemoJournal.create(in: folder)
            try journal.remove()
            return Finding(subject: "journal", words: "\(folder) keeps what is being said", kind: .fine)
        } catch {
            return Finding(
                subject: "journal", words: CommandError(error).message,
                kind: .lacking(mend: "make \(folder) writable: until then nothing is safe before Enter"))
        }
    }

    private func ffmpeg() -> Finding {
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        if folders.contains(where: { access("\($0)/ffmpeg", X_OK) == 0 }) {
            return Finding(subject: "ffmpeg", words: "there: recordings of all kinds can be transcribed", kind: .fine)
        }
        return Finding(
            subject: "ffmpeg", words: "not there: only WAV files can be transcribed", kind: .lacking(mend: "sudo apt install ffmpeg"))
    }

    private func locale() -> Finding {
        let traits = TerminalTraits(environment: environment)
        if traits.isUTF8 { return Finding(subject: "locale", words: "UTF-8", kind: .fine) }
        return Finding(
            subject: "locale", words: "not UTF-8: the level meter is plain, and other scripts may not show",
            kind: .lacking(mend: "export LANG=C.UTF-8"))
    }

    private func terminal() -> Finding {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            return Finding(
                subject: "terminal", words: "there is none here, and a memo needs one", kind: .lacking(mend: "run it in a terminal"))
        }
        close(descriptor)
        let isDumb = TerminalTraits(environment: environment).isDumb
        if !isDumb { return Finding(subject: "terminal", words: environment["TERM"] ?? "", kind: .fine) }
        return Finding(
            subject: "terminal", words: "TERM says that it can't move its cursor: a memo comes as lines",
            kind: .lacking(mend: "set TERM to what the terminal is, such as xterm-256color"))
    }
}
