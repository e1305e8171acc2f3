import Audio
import Foundation
import Speech
import Synchronization

/// Carries out `utter listen`.
func runListen(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting { try await ListenCommand(ListenOptions(arguments)).run() }
}

/// `utter listen` with its options.
struct ListenCommand {
    private let options: ListenOptions
    private let status: Status
    private let output: ListenOutput
    private let interruption = Interruption()
    private let problems = Problems()
    private let microphone: Microphone

    /// What ended the listening, other than a wish.
    private final class Problems: Sendable {
        private let first = Mutex<(any Error)?>(nil)

        func note(_ error: any Error) { first.withLock { $0 = $0 ?? error } }
        var firstError: (any Error)? { first.withLock { $0 } }
    }

    init(_ options: ListenOptions) throws {
        self.options = options
        // A guess is shown at once.
        status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose, patience: 0)
        output = ListenOutput(options, status: status)
        var configuration = options.capture.configuration
        configuration.sampleLimit = options.duration.map { Int64($0 * Double(configuration.sampleRate)) }
        let saver = try options.savedAudio.map { [status, configuration] path in
            try AudioSaver(path: path, sampleRate: configuration.sampleRate) { error in
                status.fail("\(CommandError(error).message); the sound is not kept any more")
            }
        }
        let input = LiveInput(
            captureEnded: { [interruption, problems] error in
                if let error { problems.note(error) }
                interruption.endInput()
            })
        microphone = Microphone(configuration, input: input, saver: saver)
    }

    func run() async throws -> ExitCode {
        // Before all else: what is said while the model loads is kept.
        try await microphone.start()
        do {
            try tell(.gettingReady)
            let choice = try RecognitionChoice(options.recognition, status: status)
            try await transcribe(with: choice)
        } catch {
            await microphone.stop()
            throw error
        }
        if let error = problems.firstError { throw error }
        // An interrupt is how it is meant to end.
        return interruption.signalNumber == SIGTERM ? .terminated : .ok
    }

    private func transcribe(with choice: RecognitionChoice) async throws {
        let transcriber = makeTranscriber(choice)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        if choice.hasVocabulary {
            try await analyzer.setContext(choice.context)
            if let warning = await choice.unknownWords(of: transcriber) { status.warn(warning) }
        }
        let silence = SilenceWatch(longest: options.longestSilence) { [interruption] in interruption.endInput() }
        await analyzer.setVolatileRangeChangedHandler { range, _, _ in
            if let range { silence.heard(through: range.upperBound.seconds) }
        }
        try await analyzer.start(inputSequence: microphone.input)
        try tell(.listening)

        await withTaskGroup { group in
            let watching = Task { await watch() }
            group.addTask { await report(transcriber, silence) }
            group.addTask {
                await interruption.wait()
                await microphone.stop()
                do {
                    try tell(.finishing)
                    try await analyzer.finalizeAndFinishThroughEndOfInput()
                } catch {
                    problems.note(error)
                    await analyzer.cancelAndFinishNow()
                }
            }
            await group.waitForAll()
            watching.cancel()
            await watching.value
        }
        status.clearProgress()
        if let statistics = microphone.statistics {
            do {
                try output.write(.end(statistics, sampleRate: microphone.configuration.sampleRate))
            } catch {
                problems.note(error)
            }
            await tellLedger(statistics, transcriber)
        }
    }

    private func makeTranscriber(_ choice: RecognitionChoice) -> SpeechTranscriber {
        var reporting: Set<SpeechTranscriber.ReportingOption> = []
        if output.wantsGuesses || options.longestSilence != nil { reporting.insert(.volatileResults) }
        if output.wantsGuesses { reporting.insert(.fastResults) }
        if options.alternativeCount != nil { reporting.insert(.alternativeTranscriptions) }
        return SpeechTranscriber(
            model: choice.model, reportingOptions: reporting, maximumAlternatives: options.alternativeCount ?? 0,
            endpointing: options.recognition.endpointing)
    }

    /// Passes the results on until they end.
    private func report(_ transcriber: SpeechTranscriber, _ silence: SilenceWatch) async {
        let command = options.command.map { UtteranceCommand($0, status: status) }
        do {
            for try await result in transcriber.results {
                let text = String(result.text.characters)
                silence.heard(text, isFinal: result.isFinal, through: result.range.upperBound.seconds)
                if let segment = TranscribedSegment(result, channel: nil, alternativeCount: options.alternativeCount ?? 0) {
                    try output.write(.final(segment))
                    await command?.run(with: segment.text.singleLine)
                } else {
                    // An empty final result takes the guess back.
                    try output.write(
                        .volatile(
                            text: text, start: result.range.lowerBound.seconds, end: result.range.upperBound.seconds))
                }
            }
        } catch {
            problems.note(error)
            interruption.endInput()
        }
    }

    /// Tells how the capture is going, five times a second.
    private func watch() async {
        var watch = CaptureWatch(rate: microphone.configuration.sampleRate)
        while !Task.isCancelled {
            tellFindings(&watch)
            // Found out before the next utterance, which may be long in coming.
            if output.readerHasGone { interruption.endInput() }
            // Cancelled, it looks once more: what went missing at the very end is told too.
            try? await Task.sleep(for: .milliseconds(200))
        }
        tellFindings(&watch)
    }

    private func tellFindings(_ watch: inout CaptureWatch) {
        guard let statistics = microphone.statistics else { return }
        let found = watch.look(at: statistics, microphone.deviceFormat)
        do {
            if let level = found.level { try output.write(.level(level, time: found.time)) }
            if found.dropped > 0 || found.missing > 0 {
                try output.write(.loss(dropped: found.dropped, missing: found.missing, time: found.time))
            }
        } catch {
            problems.note(error)
            interruption.endInput()
        }
        for warning in found.warnings { status.warn(warning) }
    }

    private func tell(_ state: ListenEvent.State) throws {
        try output.write(.status(state, device: microphone.configuration.device, format: microphone.deviceFormat))
    }

    private func tellLedger(_ statistics: CaptureStatistics, _ transcriber: SpeechTranscriber) async {
        let ledger = await transcriber.ledger
        status.detail(
            "\(statistics.samplesCaptured) samples captured = \(statistics.samplesDelivered) delivered + "
                + "\(statistics.samplesDropped) dropped; \(statistics.samplesMissing) missing from the device")
        status.detail(
            "\(ledger.delivered) samples = \(ledger.transcribed) transcribed + \(ledger.silent) silent + "
                + "\(ledger.pending) pending; \(ledger.missing) missing")
    }
}
