import Foundation

/// Runs a memo from its first event to its end: hands the events to the machine one after another, performs the actions that it
/// returns, and draws.
struct MemoLoop {
    enum Event: Sendable {
        /// An event from the terminal.
        ///
        /// - Parameter time: when the event came, which may be long before it is handled.
        case terminal(TerminalEvent, time: ContinuousClock.Instant)
        case memo(MemoMachine.Event)
        /// A regular event, at which typed text is recorded and the microphone's level is read.
        ///
        /// - Parameter time: when the event came.
        case tick(time: ContinuousClock.Instant)
    }

    let terminal: RawTerminal
    let keeper: MemoKeeper
    let speech: MemoSpeech
    let microphone: Microphone

    private var machine = MemoMachine()
    private var screen: MemoScreen
    private var watch: CaptureWatch
    private var level: LiveLevel?
    /// The revision of the text that is on the disk; nil after another text was restored.
    private var recordedRevision: Int? = 0
    /// The last order to the microphone, which waits for the orders before it.
    private var control: Task<Void, Never>
    /// Whether the text is in its place, or in a file of its own.
    private(set) var isKept = false
    /// Why the memo could not be kept the last time.
    private var keepFailure = CommandError("", .ok)
    /// Whether other programs have the terminal.
    private var isSuspended = false
    /// Whether the microphone is turned off only for as long as other programs have the terminal.
    private var isMicrophoneSuspended = false
    private let isDumb: Bool
    private let start = ContinuousClock.now

    /// Creates the loop of a memo.
    ///
    /// - Parameters:
    ///   - terminal: the user's terminal.
    ///   - traits: the traits of the terminal.
    ///   - keeper: keeps the memo's text.
    ///   - speech: runs the microphone and the recognizer.
    ///   - microphone: the microphone, whose level is shown.
    ///   - opening: the task that turns the microphone on for the first time.
    ///   - remark: a remark that the status line shows as long as the memo is open.
    init(
        terminal: RawTerminal, traits: TerminalTraits, keeper: MemoKeeper, speech: MemoSpeech, microphone: Microphone,
        opening: Task<Void, Never>, remark: String? = nil
    ) {
        self.terminal = terminal
        isDumb = traits.isDumb
        control = opening
        self.keeper = keeper
        self.speech = speech
        self.microphone = microphone
        screen = MemoScreen(traits: traits, remark: remark)
        watch = CaptureWatch(rate: microphone.configuration.sampleRate)
    }

    /// Runs the memo until it is kept or discarded, or can't be kept.
    ///
    /// - Parameter events: the events, in order.
    /// - Returns: the exit code of the command.
    mutating func run(_ events: AsyncStream<Event>) async -> ExitCode {
        draw()
        let earlier = await keeper.findEarlier()
        if let time = earlier.cutOffAt { _ = machine.handle(.foundAbandoned(time: time, place: earlier.cutOffPlace)) }
        if let trouble = earlier.troubles.first { _ = machine.handle(.warning(trouble)) }
        draw()
        for await event in events {
            if let code = await take(event) { return code }
            draw()
        }
        return .software
    }

    /// Handles an event. Text that was said is on the disk before it is drawn.
    ///
    /// - Returns: the exit code when the memo is over; otherwise nil.
    private mutating func take(_ event: Event) async -> ExitCode? {
        switch event {
        case .memo(let event):
            let action = machine.handle(event)
            await record()
            return await perform(action)
        case .terminal(.keys(let keys), let time):
            for key in keys {
                let action = machine.handle(.key(key, columns: terminal.size.columns, time: seconds(time)))
                if let code = await perform(action) { return code }
            }
        case .terminal(.ended, _): return await perform(machine.handle(.mustEnd))
        case .terminal(.mustStop, _): await suspend(withJob: false)
        case .terminal(.resumed, _):
            // Other programs have moved the cursor, so the memo is drawn below their output.
            _ = screen.leave()
            isSuspended = false
            if isMicrophoneSuspended { tell { await $0.listen() } }
            isMicrophoneSuspended = false
        case .terminal(.resized, _): screen.invalidate()
        case .tick(let time):
            let action = machine.handle(.time(seconds(time)))
            await record()
            look()
            return await perform(action)
        }
        return nil
    }

    private mutating func perform(_ action: MemoMachine.Action?) async -> ExitCode? {
        switch action {
        case nil: break
        case .pause: tell { await $0.pause() }
        case .resume: tell { await $0.listen() }
        case .finish: tell { await $0.stop() }
        case .finalize: Task { [speech] in await speech.finalize() }
        case .hurry:
            Task { [speech] in await speech.cancel() }
            return await keep()
        case .suspend:
            // A dumb terminal is in line mode, in which the terminal itself handles Control-Z.
            if isDumb { break }
            await suspend(withJob: true)
        case .redraw: screen.invalidate()
        case .restore:
            do {
                if let earlier = try await keeper.restore() {
                    _ = machine.handle(.restored(earlier.text, notice: earlier.notice))
                }
                recordedRevision = nil
            } catch {
                _ = machine.handle(.warning(CommandError(error).message))
            }
        case .dropEarlier:
            do { try await keeper.dropEarlier() } catch {
                _ = machine.handle(.warning(CommandError(error).message))
            }
            // The next one, or the same again if it could not be removed.
            let offer = await keeper.offer
            if let time = offer.cutOffAt { _ = machine.handle(.foundAbandoned(time: time, place: offer.cutOffPlace)) }
        case .keep: return await keep()
        case .keepElsewhere: return await keepElsewhere()
        case .leave: return await leave()
        case .discard: return await discard()
        }
        return nil
    }

    /// Stops the process. What is said meanwhile is not for the memo.
    private mutating func suspend(withJob: Bool) async {
        if machine.usesMicrophone {
            isMicrophoneSuspended = true
            tell { await $0.pause() }
            // A sound server may hang.
            _ = await control.value(within: .seconds(1))
        }
        draw()
        write(screen.leave())
        isSuspended = true
        terminal.suspend(withJob: withJob)
    }

    private mutating func tell(_ order: @escaping @Sendable (MemoSpeech) async -> Void) {
        control = Task { [speech, control] in
            await control.value
            await order(speech)
        }
    }

    /// Keeps the memo.
    ///
    /// - Returns: the exit code; nil when the memo could not be kept and is open again.
    private mutating func keep() async -> ExitCode? {
        let text = machine.text.text
        // The program that reads standard output may write to this terminal, so the text is not shown there too.
        let isToOutput = await keeper.isToOutput
        if isToOutput { write(screen.finish(text: "", line: nil, size: terminal.size)) }
        do {
            let outcome = try await keeper.keep(text, speech: machine.speech)
            // The text stays on the terminal to be read, unless it went to standard output.
            write(screen.finish(text: isToOutput ? "" : text, line: outcome, size: terminal.size))
            return await kept()
        } catch {
            keepFailure = CommandError(error)
            // The program that read standard output is gone, so trying again is of no use.
            if isToOutput { return await leave() }
            return await perform(machine.handle(.keepFailed(keepFailure.message)))
        }
    }

    /// Ends a memo that is kept.
    ///
    /// - Returns: the exit code, which is not 0 when words may be missing, or a part of the saved sound.
    private mutating func kept() async -> ExitCode {
        isKept = true
        if machine.speech == .unknown { return .software }
        // A loss of less than 0.05 s holds no word.
        let lost = microphone.statistics.map { $0.samplesDropped + $0.samplesMissing } ?? 0
        let isSoundWhole = await keeper.isSoundWhole
        return lost * 20 > Int64(microphone.configuration.sampleRate) || !isSoundWhole ? .ioError : .ok
    }

    private mutating func keepElsewhere() async -> ExitCode? {
        let text = machine.text.text
        do {
            let outcome = try await keeper.keepElsewhere(text)
            write(screen.finish(text: text, line: outcome, size: terminal.size))
            return await kept()
        } catch {
            keepFailure = CommandError(error)
            return await perform(machine.handle(.keepFailed(keepFailure.message)))
        }
    }

    /// Leaves the text on the screen, because it could not be kept.
    private mutating func leave() async -> ExitCode {
        let text = machine.text.text
        let journal =
            await keeper.path(of: text).map { "; it is safe in \($0), and the next memo brings it back" } ?? ""
        write(screen.finish(text: text, line: "not kept: \(keepFailure.message)\(journal)", size: terminal.size))
        return keepFailure.exitCode
    }

    private mutating func discard() async -> ExitCode {
        Task { [speech] in await speech.cancel() }
        do {
            try await keeper.discard()
            write(screen.finish(text: "", line: "discarded", size: terminal.size))
            return .ok
        } catch {
            let error = CommandError(error)
            write(screen.finish(text: "", line: "not discarded: \(error.message)", size: terminal.size))
            return error.exitCode
        }
    }

    /// Writes the text to the disk, if it has changed.
    private mutating func record() async {
        let revision = machine.text.revision
        guard revision != recordedRevision else { return }
        do {
            try await keeper.record(machine.text.text)
            recordedRevision = revision
            _ = machine.handle(.recorded(failure: nil))
        } catch {
            _ = machine.handle(.recorded(failure: CommandError(error).message))
        }
    }

    /// Reads the level of the capture, and reports its problems.
    private mutating func look() {
        guard machine.state == .listening || machine.state == .gettingReady, let statistics = microphone.statistics
        else { return }
        let found = watch.look(at: statistics, microphone.deviceFormat)
        if let new = found.level.map({ LiveLevel($0) }) {
            level = new
            if new.isLikeSpeech { _ = machine.handle(.loud) }
        }
        for warning in found.warnings + found.losses { _ = machine.handle(.warning(warning)) }
        _ = machine.handle(.microphoneTrouble(found.trouble))
    }

    private mutating func draw() {
        if isSuspended { return }
        let keys = machine.showsKeys ? MemoScreen.Keys.all : machine.showsHint ? .hint : .none
        write(
            screen.draw(
                machine.text, state: machine.state, status: machine.status, level: level, notice: machine.notice,
                keys: keys, size: terminal.size))
    }

    /// Writes to the terminal. Errors are ignored, for a terminal that is gone is reported by an event.
    private func write(_ text: String) { if !text.isEmpty { _ = terminal.write(text) } }

    private func seconds(_ time: ContinuousClock.Instant) -> Double { (time - start) / .seconds(1) }
}
