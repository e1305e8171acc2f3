import Audio
import Foundation

/// A memo from its first event to its end: takes in what happens, one after another, does what the machine says, and draws.
struct MemoLoop {
    enum Event: Sendable {
        case terminal(TerminalEvent)
        case memo(MemoMachine.Event)
        /// Time to look at the level, and at what was typed.
        case tick
    }

    let terminal: RawTerminal
    let keeper: MemoKeeper
    let speech: MemoSpeech
    let microphone: Microphone

    private var machine = MemoMachine()
    private var screen: MemoScreen
    private var watch: CaptureWatch
    private var level: MemoLevel?
    /// The revision of the text that is on the disk.
    private var recordedRevision = 0
    private var hasToldDisk = false
    /// What the microphone is being told, one after another.
    private var control: Task<Void, Never>?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(terminal: RawTerminal, traits: TerminalTraits, keeper: MemoKeeper, speech: MemoSpeech, microphone: Microphone) {
        self.terminal = terminal
        self.keeper = keeper
        self.speech = speech
        self.microphone = microphone
        screen = MemoScreen(traits: traits)
        watch = CaptureWatch(rate: microphone.configuration.sampleRate)
        start = clock.now
    }

    /// Returns when the memo is kept or discarded, or can't be kept.
    mutating func run(_ events: AsyncStream<Event>) async -> ExitCode {
        draw()
        let earlier = await keeper.findEarlier()
        if let time = earlier.cutOffAt { _ = machine.handle(.foundAbandoned(time: time)) }
        if let trouble = earlier.troubles.first { _ = machine.handle(.warning(trouble)) }
        draw()
        for await event in events {
            for action in await take(event) {
                if let code = await perform(action) { return code }
            }
            draw()
        }
        return .software
    }

    /// Tells the machine. What was said is on the disk before it is drawn.
    private mutating func take(_ event: Event) async -> [MemoMachine.Action] {
        switch event {
        case .memo(let event):
            let action = machine.handle(event)
            if case .final = event { await record() }
            return [action].compactMap { $0 }
        case .terminal(.keys(let keys)):
            return keys.compactMap { machine.handle(.key($0, columns: terminal.size.columns, time: now)) }
        case .terminal(.ended): return [machine.handle(.mustEnd)].compactMap { $0 }
        case .terminal(.resumed):
            screen.invalidate()
            return []
        case .terminal(.resized): return []
        case .tick:
            await record()
            look()
            return []
        }
    }

    private mutating func perform(_ action: MemoMachine.Action) async -> ExitCode? {
        switch action {
        case .pause: tell { await $0.pause() }
        case .resume: tell { await $0.listen() }
        case .finish: tell { await $0.stop() }
        case .hurry: Task { [speech] in await speech.cancel() }
        case .suspend:
            write(screen.leave())
            terminal.suspend()
        case .redraw: screen.invalidate()
        case .restore:
            do {
                if let earlier = try await keeper.restore() { _ = machine.handle(.restored(earlier)) }
            } catch {
                _ = machine.handle(.warning(CommandError(error).message))
            }
        case .keep: return await keep()
        case .discard: return await discard()
        }
        return nil
    }

    private mutating func tell(_ order: @escaping @Sendable (MemoSpeech) async -> Void) {
        control = Task { [speech, control] in
            await control?.value
            await order(speech)
        }
    }

    private mutating func keep() async -> ExitCode {
        let text = machine.text.text
        let isToOutput = isatty(STDOUT_FILENO) == 0
        do {
            let outcome = try await keeper.keep(text, toOutput: isToOutput)
            // On the terminal it stays to be read, unless it goes elsewhere.
            write(screen.finish(text: isToOutput ? "" : text, line: outcome, size: terminal.size))
            return .ok
        } catch {
            let error = CommandError(error)
            let journal = await keeper.journalPath.map { "; it is safe in \($0), and the next memo brings it back" } ?? ""
            write(screen.finish(text: text, line: "not kept: \(error.message)\(journal)", size: terminal.size))
            return error.exitCode
        }
    }

    private mutating func discard() async -> ExitCode {
        tell { speech in
            await speech.stop()
            await speech.cancel()
        }
        await control?.value
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

    /// Brings the text to the disk, if it has changed.
    private mutating func record() async {
        guard machine.text.revision != recordedRevision else { return }
        do {
            try await keeper.record(machine.text.text)
            recordedRevision = machine.text.revision
            hasToldDisk = false
        } catch {
            if !hasToldDisk { _ = machine.handle(.warning("nothing is safe before Enter: \(CommandError(error).message)")) }
            hasToldDisk = true
        }
    }

    /// How the capture is going.
    private mutating func look() {
        guard machine.state == .listening || machine.state == .gettingReady, let statistics = microphone.statistics else { return }
        let found = watch.look(at: statistics, microphone.deviceFormat)
        if let new = found.level {
            level = MemoLevel(peak: Self.decibels(new.peak), rms: Self.decibels(new.rms))
        }
        for warning in found.warnings { _ = machine.handle(.warning(warning)) }
    }

    private mutating func draw() {
        write(
            screen.draw(
                machine.text, state: machine.state, level: level, notice: machine.notice, size: terminal.size))
    }

    /// A terminal that is gone tells it as an event.
    private func write(_ text: String) { if !text.isEmpty { _ = terminal.write(text) } }

    private var now: Double { (clock.now - start) / .seconds(1) }

    private static func decibels(_ value: Float) -> Double { 20 * log10(Double(value)) }
}
