import Dispatch
import Foundation
import Glibc
import Synchronization
import System

/// The output of `utter listen`: a line for each final result or each event, flushed at once, and on a terminal a line below that
/// shows the guess or what the command is doing.
final class ListenOutput: Sendable {
    private struct State {
        var told: Set<LiveState> = []
        /// Whether the user's command may be writing to the terminal.
        var isLent = false
        var status = ListenStatus()
        /// The guesses at what is being said, one for each speaker, the latest last.
        var guesses: [(speaker: String?, text: String)] = []
        /// Writes the transcript, in the formats that have no events.
        var formatter: any TranscriptFormatter
        /// Whether the line below shows a guess instead of the status.
        var showsGuess = false

        /// The latest guess, with the name of the speaker where there is one.
        var guess: String { guesses.last.map { ($0.speaker.map { "[\($0)] " } ?? "") + $0.text } ?? "" }

        mutating func show(_ guess: String, of speaker: String?) {
            guesses.removeAll { $0.speaker == speaker }
            if !guess.isEmpty { guesses.append((speaker, guess)) }
        }
    }

    private let format: OutputFormat
    private let status: Status
    private let isTerminal = isatty(STDOUT_FILENO) != 0
    /// How long nothing is shown below a text, in seconds: the reader of a pipe may write it to the same terminal, a moment later.
    private let timeForReader: Double
    private let showsGuess: Bool
    /// Whether a line below the text shows what the command is doing.
    let showsStatus: Bool
    private let isUTF8 = TerminalTraits(environment: ProcessInfo.processInfo.environment).isUTF8
    private let types: Set<String>
    private let state: Mutex<State>
    /// Called with the `errno` of each write that failed, and whether it was one of final text.
    let failed: @Sendable (_ code: Int32, _ isFinal: Bool) -> Void
    /// The queue that writes one event after another. A reader that does not read blocks only its thread.
    private let queue = DispatchQueue(label: "utter.output")

    init(
        _ options: ListenOptions, status: Status, failed: @escaping @Sendable (_ code: Int32, _ isFinal: Bool) -> Void
    ) {
        self.failed = failed
        format = options.format
        let isNamed = !options.sources.isEmpty
        state = Mutex(State(formatter: format.makeFormatter(TranscriptLabels(channels: isNamed, speakers: isNamed))))
        self.status = status
        // fstat(2)
        let isPipe = stat(STDOUT_FILENO).map { [S_IFIFO, S_IFSOCK].contains($0.st_mode & S_IFMT) } ?? false
        timeForReader = isPipe ? 0.5 : 0
        types = options.eventTypes
        showsGuess = options.showsVolatile && status.showsProgress
        // Events on the same terminal make a status line unnecessary.
        showsStatus = status.showsProgress && (options.format != .jsonl || !isTerminal)
    }

    var wantsGuesses: Bool { showsGuess || writesGuesses }

    var writesGuesses: Bool { format == .jsonl && types.contains("volatile") }

    /// Shows a notice in the status line; nil removes it.
    func show(notice: String?) {
        queue.async { [self] in
            let isNew = state.withLock { state in
                defer { state.status.notice = notice }
                return state.status.notice != notice
            }
            if isNew { draw() }
        }
    }

    func begin(file: String, model: String) {
        if format == .jsonl { return }
        write { $0.begin(file: file, model: model) }
    }

    func end(duration: Double) {
        if format == .jsonl { return }
        write { $0.end(duration: duration) }
    }

    private func write(_ answer: @escaping @Sendable (inout any TranscriptFormatter) -> String) {
        perform(isFinal: false) { [self] in write(state.withLock { answer(&$0.formatter) }) }
    }

    /// Writes an event after all before it, without waiting for the reader. Each state is written once, and none after `finishing`.
    func write(_ event: ListenEvent) {
        let isFinal = if case .final = event { true } else { false }
        perform(isFinal: isFinal) { [self] in perform(event) }
    }

    /// - Parameter work: returns 0, or the `errno` of the write that failed.
    private func perform(isFinal: Bool, _ work: @escaping @Sendable () -> Int32) {
        queue.async { [self] in
            let code = work()
            if code != 0 { failed(code, isFinal) }
        }
    }

    /// Returns when all so far is written, or could not be.
    func flush() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    /// Calls a function that may write to the same terminal; nothing is shown below the text meanwhile.
    func lend(during body: () -> Void) {
        // Where nothing is shown, a reader that does not read the output holds up no command.
        if status.showsProgress {
            queue.sync {
                state.withLock { $0.isLent = true }
                status.clearProgress()
            }
        }
        body()
        state.withLock { $0.isLent = false }
    }

    /// Shows and writes an event.
    ///
    /// - Returns: 0, or the `errno` of the write that failed.
    private func perform(_ event: ListenEvent) -> Int32 {
        if case .status(let new, _, _) = event {
            let isNew = state.withLock { !$0.told.contains(.finishing) && $0.told.insert(new).inserted }
            if !isNew { return 0 }
        }
        show(event)
        if case .final = event { status.clearProgress(for: timeForReader) }
        switch (format, event) {
        case (.jsonl, _): return types.contains(event.type) ? write(event.json) : 0
        case (_, .final(let segment)): return write(state.withLock { $0.formatter.segment(segment) })
        default: return 0
        }
    }

    private func show(_ event: ListenEvent) {
        state.withLock { state in
            switch event {
            case .status(let new, _, _): state.status.state = new
            case .level(let level, _, let speaker): state.status.show(LiveLevel(level), of: speaker)
            case .volatile(let text, _, _, let speaker): state.show(text.singleLine, of: speaker)
            case .final(let segment): state.show("", of: segment.speaker)
            case .loss, .end: break
            }
        }
        // The line that is about to be written clears the guess.
        if case .final = event { return }
        draw()
    }

    private func draw() {
        let (status, guess, isLent, isNew) = state.withLock { state in
            let (hadGuess, guess) = (state.showsGuess, state.guess)
            state.showsGuess = !guess.isEmpty
            return (state.status, guess, state.isLent, !hadGuess)
        }
        if isLent { return }
        if showsGuess, !guess.isEmpty {
            // The end of a long guess is the newest part.
            self.status.show(atOnce: isNew) { width in String(suffix(of: guess, fitting: width)) }
        } else if showsStatus {
            self.status.show { [isUTF8] width in status.text(width: width, isUTF8: isUTF8) }
        } else if showsGuess {
            self.status.show { _ in "" }
        }
    }

    private func write(_ text: String) -> Int32 {
        if text.isEmpty { return 0 }
        let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
        return status.duringOutput { Descriptor.write(text, to: STDOUT_FILENO) }
    }
}
