import Audio
import Foundation
import Glibc
import Outbox
import Speech
import Synchronization
import System

/// Listening, from the microphone to lines.
struct ListenSession {
    private let options: ListenOptions
    private let status: Status
    private let output: ListenOutput
    private let interruption = Interruption()
    private let problems = Problems()
    private let saver: AudioSaver?
    /// The queue for the utterances; nil when they are only written.
    private let sender: UtteranceSender?
    private let sources: [ListenSource]
    /// Where another process shows what the user is to know.
    private let remark: (@Sendable (Remark) -> Void)?

    /// What the user is to know of the listening. It holds nothing that was said.
    enum Remark: Equatable, Sendable {
        /// An error that did not end the command, or a warning.
        case warning(String)
        /// What is wrong with the microphone now; nil when nothing is any more.
        case trouble(String?)
    }

    private final class Problems: Sendable {
        private struct State {
            var first: CommandError?
            /// Those of all errors so far.
            var messages: Set<String> = []
            var toldCode: ExitCode?
            var hasLostOutput = false
            var isUnread = false
        }

        private let state = Mutex(State())

        /// Records an error that ends the command, and tells one beside which another does. That the reader of the output has gone hides none.
        func note(_ error: any Error, telling status: Status) {
            let error = CommandError(error)
            let isTold = state.withLock { state in
                let isNew = state.messages.insert(error.message).inserted
                guard let first = state.first, first.exitCode != .ok else {
                    state.first = error
                    return true
                }
                return !isNew || error.exitCode == .ok
            }
            if !isTold { status.fail(error.message) }
        }
        var firstError: CommandError? { state.withLock { $0.first } }

        /// Records the exit code of an error that was reported at once and did not end the command.
        func noteTold(_ code: ExitCode) { state.withLock { $0.toldCode = $0.toldCode ?? code } }
        var toldCode: ExitCode? { state.withLock { $0.toldCode } }

        /// Records that final text was not written because the reader of the output has gone.
        func noteUnread() { state.withLock { $0.isUnread = true } }
        var isUnread: Bool { state.withLock { $0.isUnread } }

        /// Records that standard output can't be written.
        ///
        /// - Returns: whether that is new.
        func noteLostOutput() -> Bool {
            state.withLock { state in
                defer { state.hasLostOutput = true }
                return !state.hasLostOutput
            }
        }
    }

    /// - Parameters:
    ///   - keep: puts an utterance into a queue; nil for the destinations of the options.
    ///   - remark: gets what the user is to know, on any thread; nil where the user sees the standard error.
    init(
        _ options: ListenOptions, keep: UtteranceSender.Keep? = nil, keepsGuesses: Bool = false,
        remark: (@Sendable (Remark) -> Void)? = nil
    ) throws {
        (self.options, self.remark) = (options, remark)
        // No patience, so that a guess is shown at once.
        var told: (@Sendable (String) -> Void)?
        if let remark { told = { remark(.warning($0)) } }
        status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose, patience: 0, told: told)
        let rate = options.capture.configuration.sampleRate
        // A destination that is not there is refused before a file is made.
        let delivery = keep == nil && !options.delivery.destinations.isEmpty ? try Delivery(options.delivery) : nil
        try delivery?.refuseFile()
        if let path = options.savedAudio, FolderTools.isFolder(path) {
            throw CommandError(
                "--save-audio: \(path) is a folder; name a new file, such as talk.wav in it", .cannotCreate)
        }
        saver = try options.savedAudio.map { [status, problems] path in
            try AudioSaver(path: path, sampleRate: rate, channelNames: options.sources.map(\.name)) { error in
                let error = CommandError(error)
                status.fail("\(error.message); the sound is not kept any more")
                problems.noteTold(error.exitCode)
            }
        }
        let failed: @Sendable (OutboxError) -> Void = { [status, problems] error in
            let error = CommandError(error)
            status.fail("\(error.message); the utterance has not gone to all its destinations")
            problems.noteTold(error.exitCode)
        }
        sender =
            if let keep {
                UtteranceSender(keep: keep, takesGuesses: keepsGuesses, failed: failed)
            } else {
                delivery.map { [status] delivery in
                    UtteranceSender(
                        delivery, notes: options.delivery.notes, warn: { status.warn($0) }, failed: failed)
                }
            }
        // Where the text goes beside standard output. Whoever types for another process ends with that process.
        let others = (delivery?.names ?? []) + (options.command == nil ? [] : ["the command of --exec"])
        output = ListenOutput(options, status: status) { [problems, status, interruption, saver] code, isFinal in
            var error = Output.failure(code)
            // A reader that has read enough ends the listening, also where the sound is saved; a full disk elsewhere does not.
            let sound = code != EPIPE && saver?.failure == nil ? saver?.path : nil
            let others = others + [sound].compactMap { $0 }
            if !others.isEmpty {
                if problems.noteLostOutput() {
                    status.fail("\(error.message); what is heard goes on to \(ValueKind.list(others, word: "and"))")
                }
                problems.noteTold(.ioError)
                return
            }
            let isUnread = isFinal && error.exitCode == .ok
            if isUnread, interruption.signalNumber == nil { problems.noteUnread() }
            // Ctrl-C has ended the reader of the output as well, before the last words.
            if isUnread, interruption.signalNumber != nil {
                error = CommandError(
                    "the program that reads the output ended before the last words; to let it read them: "
                        + "utter listen | (trap '' INT; exec PROGRAM)", .ioError)
            }
            problems.note(error, telling: status)
            interruption.endInput()
        }
        sources = ListenSource.all(options, saver: saver) { [interruption, problems, status] event in
            switch event {
            case .ended(let error):
                if let error { problems.note(error, telling: status) }
                interruption.endInput()
            case .changed(let name, .lost(let error)):
                var error = error
                error.device = CaptureOptions.shownName(error.device)
                status.fail("\(name): \(error.brief); it is tried again until it is there")
                problems.noteTold(.ioError)
            case .changed(let name, .moved):
                status.warn("\(name): the sound server has changed where it is heard; it is opened again")
            case .changed(let name, .back(let seconds)):
                status.warn("\(name): heard again after \(Decimals.fixed(seconds, decimals: 1)) s")
                // Nobody knows what was said meanwhile, unless that was too short for a word.
                if seconds >= CaptureWatch.shortestTold { problems.noteTold(.ioError) }
            }
        }
    }

    func run() async throws -> ExitCode {
        // However this ends, a later message begins at the start of a line.
        defer { status.clearProgress() }
        // The microphone opens first, so that speech is kept while the model loads.
        guard try await start() else { return exitCode }
        tell(.gettingReady)
        let stopping = Task { await stop() }
        do {
            let (choice, writing) = try choices()
            await transcribe(with: choice, writing, stopping)
        } catch {
            interruption.endInput()
            await stopping.value
            await output.flush()
            throw error
        }
        // That the reader of standard output has gone is no failure, and hides none.
        if let error = problems.firstError, error.exitCode != .ok { throw error }
        return exitCode
    }

    /// Opens the microphone, which may take long when a sound server does not answer.
    ///
    /// - Returns: false when a signal came before the microphone was open.
    private func start() async throws -> Bool {
        let (outcomes, continuation) = AsyncStream.makeStream(of: Result<Bool, CaptureError>.self)
        Task {
            do throws(CaptureError) {
                for source in sources { try await source.capture.start() }
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
        if outcome != .success(true) {
            // Nothing was recorded. A sound server that does not answer may hold up the others, but not the end.
            Task { [sources] in for source in sources { await source.capture.stop() } }
            saver?.discard()
        }
        guard try outcome.get() else { return false }
        for source in sources {
            guard let format = source.capture.deviceFormat else { continue }
            let channels = format.channelCount == 1 ? "1 channel" : "\(format.channelCount) channels"
            status.detail(
                source.named(
                    "\(CaptureOptions.shownName(source.capture.configuration.device)): \(format.sampleRate) Hz, \(channels), \(format.encoding)"
                ))
        }
        startClock()
        watchServer()
        return true
    }

    /// Sees to it that each source of a sound server is heard itself, and not another one in its place.
    private func watchServer() {
        let captures = sources.compactMap { $0.capture as? SourceCapture }
        let watching = SoundServerWatch.watch(captures.map(\.configuration.device)) { captures[$0].openAgain() }
        Task { [interruption] in
            await interruption.wait()
            watching?.cancel()
        }
    }

    /// Ends the listening to several sources after the duration that was asked for; one microphone counts its samples.
    private func startClock() {
        guard sources.count > 1 || sources[0].name != nil, let duration = options.duration else { return }
        Task { [interruption] in
            try? await Task.sleep(for: .seconds(duration))
            interruption.endInput()
        }
    }

    /// Does something with all sources, side by side.
    private func withSources(_ act: @escaping @Sendable (any LiveCapture) async -> Void) async {
        await withTaskGroup { group in
            for source in sources { group.addTask { await act(source.capture) } }
        }
    }

    /// Waits until the input is to end, and ends it.
    private func stop() async {
        await interruption.wait()
        await withSources { await $0.pause() }
        saver?.finish()
        // Before the input's end, after which the rest becomes final: `finishing` precedes that.
        tell(.finishing)
        await withSources { await $0.stop() }
    }

    private func choices() throws -> (RecognitionChoice, Writing) {
        do {
            var choice = try RecognitionChoice(
                options.recognition, alternativeCount: options.alternativeCount, status: status)
            let writing = try Writing(
                options.writing, standard: sender?.types == true ? ListenOptions.typingRules : options.usualRules,
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
        if problems.isUnread { return .unread }
        // An interrupt is the normal end.
        guard let number = interruption.signalNumber, number != SIGINT else { return .ok }
        return ExitCode(endedBy: number)
    }

    private func transcribe(with choice: RecognitionChoice, _ writing: Writing, _ stopping: Task<Void, Never>) async {
        let silence = SilenceWatch(
            longest: options.longestSilence, sourceCount: sources.count,
            finalsEndWithSpeech: choice.plan.deciding != nil
        ) { [interruption] in interruption.endInput() }
        let order = TurnOrder(
            sourceCount: sources.count, output: output, sender: sender,
            command: options.command.map { command in
                UtteranceCommand(command, output: output) { [status, problems] sentence in
                    status.fail(sentence)
                    problems.noteTold(.ioError)
                }
            })
        let wantsGuesses = output.wantsGuesses || sender?.takesGuesses == true
        let sessions = sources.map { source in
            let warn = { @Sendable [status] in status.warn(source.named($0)) }
            let transcriber = choice.liveTranscriber(
                guesses: wantsGuesses || options.longestSilence != nil, guessesEarly: wantsGuesses,
                finalizesFrequently: true, reportsSilences: source.name != nil, report: warn)
            return RecognitionSession(choice, transcriber, warn: warn)
        }
        let watching = Task { await watch(choice.modelRemark) }
        let hurrying = Task {
            // A user who interrupts a second time does not want to wait.
            if await interruption.waitForSecond() {
                for session in sessions { await session.transcriber.settle() }
            }
        }
        output.begin(file: options.savedAudio ?? options.capture.device, model: choice.plan.name)
        await withTaskGroup { group in
            for (source, session) in zip(sources, sessions) {
                let writer = ResultWriter(
                    source, options, output: output, writing: writing, plan: choice.plan, silence: silence, order: order
                )
                group.addTask { await recognize(source, session, silence, writer) }
            }
        }
        // From here on a second Ctrl-C ends the process.
        hurrying.cancel()
        let telling = Task { await tellLateEnd() }
        await order.finish()
        telling.cancel()
        // The microphone is still on if the recognition failed.
        await stopping.value
        watching.cancel()
        await watching.value
        status.clearProgress()
        await tellEnd(of: sessions, deciding: choice.plan.deciding)
    }

    private func recognize(
        _ source: ListenSource, _ session: RecognitionSession, _ silence: SilenceWatch, _ writer: ResultWriter
    ) async {
        await session.setProgressHandler { silence.heard(through: $0, source: source.index) }
        await session.run(on: source.capture.input) { event in
            switch event {
            case .ready: tell(.listening)
            case .result(let result):
                tell(.listening)
                await writer.write(result)
            case .failed(let error):
                problems.note(source.naming(error), telling: status)
                interruption.endInput()
            case .ended: await writer.finish()
            }
        }
    }

    /// Says after a while which command holds up the end.
    private func tellLateEnd() async {
        guard options.command != nil, (try? await Task.sleep(for: .seconds(5))) != nil else { return }
        let keys = "Ctrl-C \(interruption.signalNumber == nil ? "twice" : "again")"
        status.warn("waiting for the command of --exec; \(keys) ends without it")
    }

    /// Writes the end of the transcript and the last events, and reports the ledgers.
    private func tellEnd(of sessions: [RecognitionSession], deciding: SecondPassModel?) async {
        output.end(duration: sources.map(\.capture.duration).max() ?? 0)
        for source in sources { tellEnd(of: source) }
        await output.flush()
        for (source, session) in zip(sources, sessions) {
            await tellLedger(source, session)
            guard let model = deciding, let remark = await session.transcriber.utteranceCounts?.remark(on: model) else {
                continue
            }
            status.warn(source.named(remark))
        }
    }

    private func tellEnd(of source: ListenSource) {
        guard let statistics = source.capture.statistics else { return }
        let named = source.name.map {
            ListenEvent.Source(
                speaker: $0, duration: source.capture.duration, partsPerMillion: source.capture.partsPerMillion)
        }
        output.write(
            .end(statistics, sampleRate: source.capture.configuration.sampleRate, source: named))
    }

    /// Reports the state of the captures five times a second.
    ///
    /// - Parameter modelRemark: a remark about the model, for the status line.
    private func watch(_ modelRemark: String?) async {
        var watches = sources.map {
            CaptureWatch(
                rate: $0.capture.configuration.sampleRate, isSource: $0.name != nil || $0.mayBeSilent)
        }
        var told: Set<String> = []
        while !Task.isCancelled {
            tellCaptureReports(&watches, &told, modelRemark)
            // A reader that does not read gets no heap of levels later.
            await output.flush()
            // Without this check, a closed pipe would be noticed only at the next utterance.
            if Output.readerHasGone { output.failed(EPIPE, false) }
            // After a cancellation the statistics are read once more, for losses at the very end.
            try? await Task.sleep(for: .milliseconds(200))
        }
        tellCaptureReports(&watches, &told, modelRemark)
    }

    /// - Parameter told: what was said of the sources, which is not said again: who mutes a microphone in a meeting means it.
    private func tellCaptureReports(
        _ watches: inout [CaptureWatch], _ told: inout Set<String>, _ modelRemark: String?
    ) {
        var notices: [String] = []
        for (index, source) in sources.enumerated() {
            guard let statistics = source.capture.statistics else { continue }
            var found = watches[index].look(at: statistics, source.capture.deviceFormat)
            if source.mayBeSilent { (found.trouble, found.isNewTrouble) = (nil, false) }
            tell(found, of: source)
            if let remark {
                if found.isNewTrouble { remark(.trouble(found.trouble)) }
                continue
            }
            if let trouble = found.trouble {
                notices.append(source.named(trouble))
                let isNew = found.isNewTrouble && (source.name == nil || told.insert(source.named(trouble)).inserted)
                if isNew, !output.showsStatus { status.warn(source.named(trouble)) }
            }
        }
        if output.showsStatus { output.show(notice: notices.first ?? modelRemark) }
    }

    private func tell(_ found: CaptureWatch.CaptureReport, of source: ListenSource) {
        let time = source.name == nil ? found.time : source.capture.duration
        if let level = found.level { output.write(.level(level, time: time, speaker: source.name)) }
        if found.dropped > 0 || found.missing > 0 {
            output.write(.loss(dropped: found.dropped, missing: found.missing, time: time, speaker: source.name))
        }
        for warning in found.warnings { status.warn(source.named(warning)) }
        for loss in found.losses {
            status.fail(source.named(loss))
            problems.noteTold(.ioError)
        }
    }

    private func tell(_ state: LiveState) {
        let only = sources.count == 1 ? sources[0].capture : nil
        output.write(
            .status(
                state, device: (only?.configuration.device).map(CaptureOptions.shownName), format: only?.deviceFormat))
    }

    private func tellLedger(_ source: ListenSource, _ session: RecognitionSession) async {
        guard let statistics = source.capture.statistics else { return }
        status.detail(
            source.named(
                "\(statistics.samplesCaptured) samples captured = \(statistics.samplesDelivered) delivered + "
                    + "\(statistics.samplesDropped) dropped; \(statistics.samplesMissing) missing from the device"))
        status.detail(source.named(await session.transcriber.ledger.sentence))
        if let parts = source.capture.partsPerMillion {
            status.detail(source.named("its clock is \(Decimals.fixed(parts, decimals: 1)) parts in a million fast"))
        }
        if let counts = await session.transcriber.utteranceCounts { status.detail(source.named(counts.sentence)) }
    }
}
