import Audio
import Foundation
import Outbox
import Speech
import Synchronization

/// `utter listen`.
struct ListenCommand: Command {
    static let specification = CommandSpecification.listen
    private let options: ListenOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ListenOptions(arguments)
    }

    func run() async throws -> ExitCode { try await ListenSession(options).run() }

    /// Listens, and puts each utterance into a queue instead of the destinations.
    func run(keep: @escaping UtteranceSender.Keep) async throws -> ExitCode {
        try await ListenSession(options, keep: keep).run()
    }
}

/// Listening, from the microphone to lines.
private struct ListenSession {
    private let options: ListenOptions
    private let status: Status
    private let output: ListenOutput
    private let interruption = Interruption()
    private let problems = Problems()
    private let saver: AudioSaver?
    /// The queue for the utterances; nil when they are only written.
    private let sender: UtteranceSender?
    private let microphone: Microphone

    /// The errors so far.
    private final class Problems: Sendable {
        private struct State {
            var first: (any Error)?
            var toldCode: ExitCode?
        }

        private let state = Mutex(State())

        /// Records an error that ends the command.
        func note(_ error: any Error) { state.withLock { $0.first = $0.first ?? error } }
        var firstError: (any Error)? { state.withLock { $0.first } }

        /// Records the exit code of an error that was reported at once and did not end the command.
        func noteTold(_ code: ExitCode) { state.withLock { $0.toldCode = $0.toldCode ?? code } }
        var toldCode: ExitCode? { state.withLock { $0.toldCode } }
    }

    /// - Parameter keep: puts an utterance into a queue; nil for the destinations of the options.
    init(_ options: ListenOptions, keep: UtteranceSender.Keep? = nil) throws {
        self.options = options
        // No patience, so that a guess is shown at once.
        status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose, patience: 0)
        output = ListenOutput(options, status: status)
        var configuration = options.capture.configuration
        configuration.sampleLimit = options.duration.map { Int64(($0 * Double(configuration.sampleRate)).rounded()) }
        saver = try options.savedAudio.map { [status, problems, configuration] path in
            try AudioSaver(path: path, sampleRate: configuration.sampleRate) { error in
                let error = CommandError(error)
                status.fail("\(error.message); the sound is not kept any more")
                problems.noteTold(error.exitCode)
            }
        }
        let failed: @Sendable (OutboxError) -> Void = { [status, problems] error in
            let error = CommandError(error)
            status.fail("\(error.message); the utterance is only in the output")
            problems.noteTold(error.exitCode)
        }
        sender =
            if let keep {
                UtteranceSender(keep: keep, failed: failed)
            } else if options.delivery.destinations.isEmpty {
                nil
            } else {
                try UtteranceSender(Delivery(options.delivery), failed: failed)
            }
        let input = LiveInput(
            captureEnded: { [interruption, problems] error in
                if let error { problems.note(error) }
                interruption.endInput()
            })
        microphone = Microphone(configuration, input: input, saver: saver)
    }

    func run() async throws -> ExitCode {
        // However this ends, a later message begins at the start of a line.
        defer { status.clearProgress() }
        // The microphone opens first, so that speech is kept while the model loads.
        guard try await start() else { return exitCode }
        do {
            try await tell(.gettingReady)
        } catch {
            await microphone.stop()
            throw error
        }
        let stopping = Task { await stop() }
        do {
            let (choice, writing) = try choices()
            await transcribe(with: choice, writing, stopping)
        } catch {
            interruption.endInput()
            await stopping.value
            throw error
        }
        // That the reader of standard output has gone is no failure, and hides none.
        if let error = problems.firstError.map({ CommandError($0) }), error.exitCode != .ok { throw error }
        return exitCode
    }

    /// Opens the microphone, which may take long when a sound server does not answer.
    ///
    /// - Returns: false when a signal came before the microphone was open.
    private func start() async throws -> Bool {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Result<Bool, CaptureError>.self)
        Task {
            do throws(CaptureError) {
                try await microphone.start()
                continuation.yield(.success(true))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        Task {
            await interruption.wait()
            continuation.yield(.success(false))
        }
        var iterator = outcomes.makeAsyncIterator()
        let outcome = await iterator.next() ?? .success(false)
        // Nothing was recorded.
        if outcome != .success(true) { saver?.discard() }
        guard try outcome.get() else { return false }
        if let format = microphone.deviceFormat {
            let channels = format.channelCount == 1 ? "1 channel" : "\(format.channelCount) channels"
            status.detail(
                "\(microphone.configuration.device): \(format.sampleRate) Hz, \(channels), \(format.encoding)")
        }
        return true
    }

    /// Waits until the input is to end, and ends it.
    private func stop() async {
        await interruption.wait()
        await microphone.pause()
        saver?.finish()
        do {
            // Before the input's end, after which the rest becomes final: `finishing` precedes that.
            try await tell(.finishing)
        } catch {
            problems.note(error)
        }
        await microphone.stop()
    }

    private func choices() throws -> (RecognitionChoice, Writing) {
        do {
            var choice = try RecognitionChoice(
                options.recognition, wantsAlternatives: options.alternativeCount != nil, status: status)
            let writing = try Writing(
                options.writing, standard: ListenOptions.standardRules,
                language: choice.plan.language,
                warn: { [status] in status.warn($0) })
            choice.spokenMarks = writing.spokenMarks
            // If there is a status line, it shows this permanently.
            if !output.showsStatus { choice.announceModel() }
            return (choice, writing)
        } catch {
            // This fails at once, so remove the new WAV file: the same --save-audio works next time.
            saver?.discard()
            throw error
        }
    }

    private var exitCode: ExitCode {
        if let code = problems.toldCode { return code }
        // An interrupt is the normal end.
        guard let number = interruption.signalNumber, number != SIGINT else { return .ok }
        return ExitCode(endedBy: number)
    }

    private func transcribe(with choice: RecognitionChoice, _ writing: Writing, _ stopping: Task<Void, Never>) async {
        let session = RecognitionSession(
            choice, guesses: output.wantsGuesses || options.longestSilence != nil, guessesEarly: output.wantsGuesses,
            alternativeCount: options.alternativeCount, endpointing: options.recognition.endpointing,
            warn: { [status] in status.warn($0) })
        let silence = SilenceWatch(
            longest: options.longestSilence, finalsEndWithSpeech: choice.plan.deciding != nil
        ) { [interruption] in interruption.endInput() }
        await session.setProgressHandler { silence.heard(through: $0) }
        let watching = Task { await watch(remark: choice.modelRemark) }
        let hurrying = Task {
            // A user who interrupts a second time does not want to wait.
            if choice.plan.deciding != nil, await interruption.waitForSecond() { await session.settle() }
        }
        let writer = ResultWriter(
            options: options, output: output, writing: writing, language: choice.plan.language,
            namesPass: choice.plan.deciding != nil,
            silence: silence,
            sender: sender,
            command: options.command.map { command in
                UtteranceCommand(command, output: output) { [status, problems] sentence in
                    status.fail(sentence)
                    problems.noteTold(.ioError)
                }
            })
        await session.run(on: microphone.input) { event in
            do {
                switch event {
                case .ready: try await tell(.listening)
                case .result(let result):
                    try await tell(.listening)
                    try await writer.write(result)
                case .failed(let error): throw error
                case .stopped(let error): throw error
                case .ended: await writer.finish()
                }
            } catch {
                problems.note(error)
                interruption.endInput()
            }
        }
        // The microphone is still on if the recognition failed.
        await stopping.value
        hurrying.cancel()
        watching.cancel()
        await watching.value
        status.clearProgress()
        await tellEnd(of: session)
    }

    /// Writes the last event, and reports the ledger.
    private func tellEnd(of session: RecognitionSession) async {
        guard let statistics = microphone.statistics else { return }
        do {
            try await output.write(.end(statistics, sampleRate: microphone.configuration.sampleRate))
        } catch {
            problems.note(error)
        }
        if !RecognizerWatch.hasStopped { await tellLedger(statistics, session) }
    }

    /// Reports the state of the capture five times a second.
    ///
    /// - Parameter remark: a remark about the model, for the status line.
    private func watch(remark: String?) async {
        var watch = CaptureWatch(rate: microphone.configuration.sampleRate)
        while !Task.isCancelled {
            await tellCaptureReport(&watch, remark)
            // Without this check, a closed pipe would be noticed only at the next utterance.
            if output.readerHasGone { interruption.endInput() }
            // After a cancellation the statistics are read once more, for losses at the very end.
            try? await Task.sleep(for: .milliseconds(200))
        }
        await tellCaptureReport(&watch, remark)
    }

    private func tellCaptureReport(_ watch: inout CaptureWatch, _ remark: String?) async {
        guard let statistics = microphone.statistics else { return }
        let found = watch.look(at: statistics, microphone.deviceFormat)
        do {
            if let level = found.level { try await output.write(.level(level, time: found.time)) }
            if found.dropped > 0 || found.missing > 0 {
                try await output.write(.loss(dropped: found.dropped, missing: found.missing, time: found.time))
            }
        } catch {
            problems.note(error)
            interruption.endInput()
        }
        for warning in found.warnings { status.warn(warning) }
        for loss in found.losses {
            status.fail(loss)
            problems.noteTold(.ioError)
        }
        if output.showsStatus {
            output.show(notice: found.trouble ?? remark)
        } else if found.isNewTrouble, let trouble = found.trouble {
            status.warn(trouble)
        }
    }

    private func tell(_ state: LiveState) async throws {
        try await output.write(.status(state, device: microphone.configuration.device, format: microphone.deviceFormat))
    }

    private func tellLedger(_ statistics: CaptureStatistics, _ session: RecognitionSession) async {
        let ledger = await session.ledger
        status.detail(
            "\(statistics.samplesCaptured) samples captured = \(statistics.samplesDelivered) delivered + "
                + "\(statistics.samplesDropped) dropped; \(statistics.samplesMissing) missing from the device")
        status.detail(
            "\(ledger.delivered) samples = \(ledger.transcribed) transcribed + \(ledger.silent) silent + "
                + "\(ledger.pending) pending; \(ledger.missing) missing")
        if let counts = await session.counts { status.detail(counts.sentence) }
    }
}
