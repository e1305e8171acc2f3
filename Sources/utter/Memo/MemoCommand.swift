import Audio
import Foundation
import Outbox
import Speech

struct MemoCommand: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode { try await MemoSession(MemoOptions(arguments)).run() }
}

/// One memo, from turning the microphone on to keeping the text.
private struct MemoSession {
    private let options: MemoOptions
    private let traits = TerminalTraits(environment: ProcessInfo.processInfo.environment)
    private let interruption = Interruption()
    private let events: AsyncStream<MemoLoop.Event>
    private let sending: AsyncStream<MemoLoop.Event>.Continuation
    private let microphone: Microphone
    private let begun = Moment.now
    private let id: UUID
    /// The memo's sound; nil when it is not saved.
    private let sound: MemoSound?

    init(_ options: MemoOptions) {
        self.options = options
        let (events, sending) = AsyncStream<MemoLoop.Event>.makeStream()
        (self.events, self.sending) = (events, sending)
        let (id, begun) = (UUID.timeOrdered(at: begun.date), begun)
        self.id = id
        sound = options.soundFolder.map { folder in
            MemoSound(in: folder, of: id, begun: begun, sampleRate: options.capture.configuration.sampleRate) {
                sending.yield(.memo(.warning($0)))
            }
        }
        microphone = Self.microphone(0, options, sound, sending)
    }

    /// The microphone of the hearing with a number.
    private static func microphone(
        _ number: Int, _ options: MemoOptions, _ sound: MemoSound?, _ sending: AsyncStream<MemoLoop.Event>.Continuation
    ) -> Microphone {
        let input = LiveInput { error in
            sending.yield(.hearing(error.map { .captureFailure($0) } ?? .captureEnded, number: number))
        }
        return Microphone(options.capture.configuration, input: input, saver: sound?.saver)
    }

    func run() async throws -> ExitCode {
        // Checked first, for isatty(3) is false once the terminal is gone.
        let isToOutput = isatty(STDOUT_FILENO) == 0
        // The microphone is turned on before the slow steps, for the user may be speaking already.
        let capture = Task { await startCapture() }
        let (delivery, choice, writing): (Delivery, RecognitionChoice, Writing)
        do {
            (delivery, choice, writing) = try choices()
            if !isToOutput { try delivery.refuseFile() }
        } catch {
            await giveUp(capture)
            throw error
        }
        guard let terminal = RawTerminal(mode: traits.isDumb ? .lines : .raw) else {
            await giveUp(capture)
            throw CommandError("a memo needs a terminal: run it in one, or use utter listen in scripts", .unavailable)
        }
        defer { terminal.close() }
        func hear(_ number: Int, with microphone: Microphone) -> MemoSpeech {
            MemoSpeech(microphone, choice, writing) { [sending] in
                sending.yield(.hearing($0, number: number))
            }
        }
        let sources = startSources(terminal, delivery)
        defer {
            for source in sources { source.cancel() }
            interruption.endInput()
        }
        var loop = MemoLoop(
            terminal: terminal, traits: traits,
            keeper: MemoKeeper(delivery, isToOutput: isToOutput, begun: begun, id: id, sound: sound),
            hearing: hear(0, with: microphone), opening: capture, remark: choice.modelRemark
        ) { number in
            hear(number, with: Self.microphone(number, options, sound, sending))
        }
        let code = await loop.run(events)
        // The memo is over: the terminal is given back, and the recognizer has only a second to end.
        terminal.close()
        await loop.hearing.end()
        guard code == .ok || loop.isKept, let signal = interruption.signalNumber, signal != SIGINT else { return code }
        return ExitCode(endedBy: signal)
    }

    private func choices() throws -> (Delivery, RecognitionChoice, Writing) {
        let delivery = try chooseDelivery()
        var choice = try RecognitionChoice(options.recognition, status: Status())
        let writing = try chooseWriting(language: choice.plan.language)
        choice.spokenMarks = writing.spokenMarks
        // On other terminals the status line shows it.
        if traits.isDumb { choice.announceModel() }
        return (delivery, choice, writing)
    }

    /// Starts the tasks that send events besides those of the microphone and the recognizer. They end when they are cancelled, or when
    /// the terminal and the input end.
    private func startSources(_ terminal: RawTerminal, _ delivery: Delivery) -> [Task<Void, Never>] {
        [
            Task { if let warning = delivery.warning { sending.yield(.memo(.waits(warning))) } },
            Task { for await event in terminal.events { sending.yield(.terminal(event, time: .now)) } },
            Task {
                await interruption.wait()
                sending.yield(.memo(.mustEnd))
            },
            // Who sends another signal does not want to wait.
            Task { if await interruption.waitForSecond() { sending.yield(.memo(.mustHurry)) } },
            Task {
                // The loop ends when the task is cancelled.
                while (try? await Task.sleep(for: .milliseconds(100))) != nil { sending.yield(.tick(time: .now)) }
            },
        ]
    }

    /// Stops the microphone and discards the sound, because there will be no memo.
    private func giveUp(_ capture: Task<Void, Never>) async {
        // A sound server may hang.
        if await capture.value(within: .seconds(1)) == nil { Leaving.leaveBehind() }
        await microphone.stop()
        sound?.saver.discard()
    }

    private func chooseDelivery() throws -> Delivery {
        do {
            return try Delivery(options.delivery)
        } catch {
            // If the user named no destination, wrong configuration must not lose the memo, so it goes to the notes.
            if !options.delivery.destinations.isEmpty { throw error }
            sending.yield(.memo(.loss("only the notes get this memo: \(CommandError(error).message)")))
            return .toNotes(options.notes)
        }
    }

    private func chooseWriting(language: String?) throws -> Writing {
        func writing(_ options: WritingOptions) throws(CommandError) -> Writing {
            try Writing(
                options, standard: MemoOptions.standardRules, language: language,
                warn: { [sending] in sending.yield(.memo(.warning($0))) })
        }
        do {
            return try writing(options.writing)
        } catch {
            // A mistake in the default file of replacements must not lose what is being said.
            if options.writing.replacements != nil { throw error }
            sending.yield(.memo(.warning("your replacements are not made: \(CommandError(error).message)")))
            var without = options.writing
            without.replacements = "none"
            return try writing(without)
        }
    }

    private func startCapture() async {
        do throws(CaptureError) {
            try await microphone.start()
            sending.yield(.hearing(.captureStarted, number: 0))
        } catch {
            sending.yield(.hearing(.captureFailure(error), number: 0))
        }
    }
}
