import Audio
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
        /// An event from the microphone or the recognizer.
        ///
        /// - Parameter number: which hearing it is from, counted from 0.
        case hearing(MemoMachine.Event, number: Int)
        /// A regular event, at which typed text is recorded and the microphone's level is read.
        case tick(time: ContinuousClock.Instant)
    }

    let terminal: RawTerminal
    let keeper: MemoKeeper
    private(set) var hearing: MemoSpeech
    /// The number of the hearing, counted from 0. What those before it still send is dropped.
    private var hearingNumber = 0
    private let hearAgain: (Int) -> MemoSpeech
    /// The statistics of the hearings before this one; nil when there were none.
    private var earlierStatistics: CaptureStatistics?

    private var machine = MemoMachine()
    private var screen: MemoScreen
    private var watch: CaptureWatch
    private var level: LiveLevel?
    /// The revision of the text that is on the disk; nil after another text was restored.
    private var recordedRevision: Int? = 0
    /// Whether the text begins with that of a memo that may end with a guess.
    private var mayHaveGuess = false
    /// The guess that is on the disk with it, and when it was written; nil while the disk has the decision to keep the text.
    private var recordedGuess = (text: "", time: ContinuousClock.Instant?.some(.now))
    /// The time after which a guess is written again, unless the text has changed.
    private static let guessInterval = Duration.seconds(2)
    /// The last order to the microphone, which waits for the orders before it.
    private var control: Task<Void, Never>
    /// Whether the text is in its place, or in a file of its own.
    private(set) var isKept = false
    /// Why the memo could not be kept the last time.
    private var keepFailure = CommandError("", .ok)
    private var isSuspended = false
    /// Whether the microphone is turned off only for as long as other programs have the terminal.
    private var isMicrophoneSuspended = false
    private let isDumb: Bool
    private let start = ContinuousClock.now

    /// Creates the loop of a memo.
    init(
        terminal: RawTerminal, traits: TerminalTraits, keeper: MemoKeeper, hearing: MemoSpeech,
        opening: Task<Void, Never>, remark: String? = nil, hearAgain: @escaping (Int) -> MemoSpeech
    ) {
        self.terminal = terminal
        isDumb = traits.isDumb
        control = opening
        self.keeper = keeper
        self.hearing = hearing
        self.hearAgain = hearAgain
        screen = MemoScreen(traits: traits, remark: remark)
        watch = CaptureWatch(rate: hearing.microphone.configuration.sampleRate)
        machine.savesSound = keeper.savesSound
    }

    /// Runs the memo until it is kept or discarded, or can't be kept.
    mutating func run(_ events: AsyncStream<Event>) async -> ExitCode {
        draw()
        let earlier = await keeper.findEarlier()
        offer(earlier)
        for trouble in earlier.troubles { _ = machine.handle(.warning(trouble)) }
        draw()
        for await event in events {
            if let code = await take(event) { return code }
            draw()
        }
        return .software
    }

    /// Offers an earlier memo that was cut off, if there is one.
    private mutating func offer(_ earlier: MemoKeeper.Found) {
        guard let time = earlier.cutOffAt else { return }
        // A dumb terminal keeps the keys for itself.
        let sentence = "a memo of \(time) was cut off: the next memo on a terminal that can draw offers it"
        _ = machine.handle(
            isDumb ? .warning(sentence) : .foundAbandoned(time: time, place: earlier.cutOffPlace))
    }

    /// Handles an event. Text that was said is on the disk before it is drawn.
    ///
    /// - Returns: the exit code when the memo is over; otherwise nil.
    private mutating func take(_ event: Event) async -> ExitCode? {
        switch event {
        case .hearing(_, let number) where number != hearingNumber: break
        case .memo(let event), .hearing(let event, _):
            let action = machine.handle(event)
            await record()
            return await perform(action)
        case .terminal(.keys(let keys), let time):
            for key in keys.withLineBreaks {
                let action = machine.handle(.key(key, columns: terminal.size.columns, time: seconds(time)))
                if let code = await perform(action) { return code }
            }
        case .terminal(.ended, _): return await perform(machine.handle(.mustEnd))
        case .terminal(.mustStop, _): await suspend(withJob: false)
        case .terminal(.resumed, _):
            // Other programs have moved the cursor, so the memo is drawn below their output.
            _ = screen.leave()
            isSuspended = false
            // The user may have turned it off meanwhile.
            if isMicrophoneSuspended, machine.usesMicrophone { tell { await $0.listen() } }
            isMicrophoneSuspended = false
        case .terminal(.resized, _): screen.invalidate()
        case .tick where isSuspended:
            // A process in the background tries no microphone again.
            await record()
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
        case .pause: tell { await $0.microphone.pause() }
        case .resume: tell { await $0.listen() }
        case .finish: finish()
        case .finalize: Task { [hearing] in await hearing.session.finalize() }
        case .hurry:
            Task { [hearing] in await hearing.session.cancel() }
            return await keep()
        case .hearAgain(let isOn): hear(isOn: isOn)
        case .suspend:
            // A dumb terminal is in line mode, in which the terminal itself handles Control-Z.
            if isDumb { break }
            await suspend(withJob: true)
        case .redraw: screen.invalidate()
        case .restore:
            do {
                if let earlier = try await keeper.restore() {
                    _ = machine.handle(
                        .restored(earlier.text, mayHaveGuess: earlier.mayHaveGuess, notice: earlier.notice))
                    mayHaveGuess = mayHaveGuess || earlier.mayHaveGuess
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
            offer(await keeper.offer)
        case .keep: return await keep()
        case .leave: return await leave()
        case .discard: return await discard()
        }
        return nil
    }

    /// Stops the process. What is said meanwhile is not for the memo.
    private mutating func suspend(withJob: Bool) async {
        if machine.usesMicrophone {
            isMicrophoneSuspended = true
            tell { await $0.microphone.pause() }
            // A sound server may hang.
            _ = await control.value(within: .seconds(1))
        }
        // It may be stopped for days, and be killed then.
        await record(isNewestGuessDue: true)
        draw()
        write(screen.leave())
        isSuspended = true
        terminal.suspend(withJob: withJob)
    }

    private mutating func tell(_ order: @escaping @Sendable (MemoSpeech) async -> Void) {
        control = Task { [hearing, control] in
            await control.value
            await order(hearing)
        }
    }

    /// Turns the microphone off for good.
    private mutating func finish() {
        control = Task { [hearing, control] in
            // A sound server that hangs holds up the orders before this one, but not the end.
            _ = await control.value(within: .seconds(5))
            await hearing.microphone.stop()
        }
    }

    /// Hears with another microphone and recognizer from now on, for those before have ended.
    private mutating func hear(isOn: Bool) {
        earlierStatistics = statistics
        // It has ended, unless the user did not wait for it.
        Task { [hearing] in await hearing.end() }
        hearingNumber += 1
        hearing = hearAgain(hearingNumber)
        watch = CaptureWatch(rate: hearing.microphone.configuration.sampleRate)
        if isOn { tell { await $0.listen() } }
    }

    /// The sum of the statistics of all captures; nil before the first.
    private var statistics: CaptureStatistics? {
        hearing.microphone.statistics?.following(earlierStatistics) ?? earlierStatistics
    }

    /// What was lost of the sound, each loss a sentence.
    private var soundLosses: [String] {
        statistics.map { CaptureWatch.losses(in: $0, rate: hearing.microphone.configuration.sampleRate) } ?? []
    }

    /// What the memo lacks, each a sentence.
    private var losses: [String] {
        machine.losses + soundLosses + (machine.unheard == nil ? [] : ["no sound was heard"])
    }

    /// Keeps the memo, where the machine says.
    ///
    /// - Returns: the exit code; nil when the memo could not be kept and is open again.
    private mutating func keep() async -> ExitCode? {
        let (text, isElsewhere) = (machine.text.text, machine.keepsElsewhere)
        // The program that reads standard output may write to this terminal, so the text is not shown there too.
        let isToOutput = isElsewhere ? false : await keeper.isToOutput
        if isToOutput { write(screen.finish(text: "", line: nil, size: terminal.size)) }
        do {
            if let unheard = machine.unheard, MemoText.kept(text).isEmpty {
                try await keeper.discard()
                isKept = true
                write(screen.finish(text: "", line: "nothing was heard: \(unheard.message)", size: terminal.size))
                return unheard.exitCode
            }
            let outcome =
                try await isElsewhere
                ? keeper.keepElsewhere(text, speech: machine.speech, losses: losses)
                : keeper.keep(text, speech: machine.speech, losses: losses)
            // The text stays on the terminal to be read, unless it went to standard output.
            write(screen.finish(text: isToOutput ? "" : text, line: outcome, size: terminal.size))
            return await kept()
        } catch {
            keepFailure = CommandError(error)
            // The journal has the decision to keep this text, which another record of it would take back, as with a guess at a noise.
            if !isElsewhere, await keeper.path(of: text) != nil {
                (recordedRevision, recordedGuess) = (machine.text.revision, ("", nil))
            }
            // The program that read standard output is gone, so trying again is of no use.
            if isToOutput { return await leave() }
            return await perform(machine.handle(.keepFailed(keepFailure.message)))
        }
    }

    /// Ends a memo that is kept.
    ///
    /// - Returns: the exit code, which is not 0 when words may be missing, a part of the saved sound, or a destination.
    private mutating func kept() async -> ExitCode {
        isKept = true
        if machine.speech.isDoubtful { return .software }
        let isSoundWhole = await keeper.isSoundWhole
        if machine.hasLostMicrophone || !soundLosses.isEmpty || !isSoundWhole { return .ioError }
        return machine.losses.isEmpty ? .ok : .configuration
    }

    /// Leaves the text on the screen, because it could not be kept.
    private mutating func leave() async -> ExitCode {
        let text = machine.text.text
        await record()
        await keeper.leaveSound()
        let journal =
            await keeper.path(of: text).map { "; it is safe in \($0), and the next memo brings it back" } ?? ""
        write(screen.finish(text: text, line: "not kept: \(keepFailure.message)\(journal)", size: terminal.size))
        return keepFailure.exitCode
    }

    private mutating func discard() async -> ExitCode {
        Task { [hearing] in await hearing.session.cancel() }
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

    /// Writes the text to the disk, if it has changed, and the guess with it; a guess alone every two seconds, or when it is withdrawn.
    ///
    /// - Parameter isNewestGuessDue: whether a guess alone is written at once.
    private mutating func record(isNewestGuessDue: Bool = false) async {
        let (revision, guess, now) = (machine.text.revision, machine.text.guess, ContinuousClock.now)
        let isGuessDue =
            guess.isEmpty
            || recordedGuess.time.map { isNewestGuessDue || now - $0 >= Self.guessInterval } ?? false
        guard revision != recordedRevision || guess != recordedGuess.text && isGuessDue else { return }
        do {
            try await keeper.record(machine.text.textWithGuess, hasGuess: !guess.isEmpty || mayHaveGuess)
            (recordedRevision, recordedGuess) = (revision, (guess, now))
            _ = machine.handle(.recorded(failure: nil))
        } catch {
            _ = machine.handle(.recorded(failure: CommandError(error).message))
        }
    }

    /// Reads the level of the capture, and reports its problems.
    private mutating func look() {
        guard machine.usesMicrophone, let statistics = hearing.microphone.statistics else { return }
        let found = watch.look(at: statistics, hearing.microphone.deviceFormat)
        if let new = found.level.map({ LiveLevel($0) }) {
            level = new
            if new.isLikeSpeech { _ = machine.handle(.loud) }
        }
        for warning in found.warnings { _ = machine.handle(.warning(warning)) }
        _ = machine.handle(.soundLost(soundLosses))
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
