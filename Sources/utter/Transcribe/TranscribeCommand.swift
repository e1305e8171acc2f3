import Foundation
import Outbox
import Speech
import Synchronization
import System

/// `utter transcribe`.
struct TranscribeCommand: Command {
    let arguments: ParsedArguments

    func run() async throws -> ExitCode { try await TranscribeSession(TranscribeOptions(arguments)).run() }
}

private final class TranscribeSession: Sendable {
    private let options: TranscribeOptions
    /// The names of each input's files in an output folder, by format.
    private let outputNames: [[String]]
    private let status: Status
    private let interruption = Interruption()
    private let recognition: RecognitionChoice
    private let writing: Writing
    /// The queue for the destinations; nil when none is named.
    private let delivery: Delivery?
    private let progress: Mutex<ListProgress>

    init(_ options: TranscribeOptions) throws {
        let status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose)
        let options = try options.withRecordings(interruption, remark: status.warn)
        (self.options, self.status) = (options, status)
        try options.refuseOutputsOntoInputs()
        outputNames = options.outputNames
        progress = Mutex(ListProgress(options.inputs.map { status.showsProgress ? InputSize(of: $0) : InputSize() }))
        delivery = try options.delivery.destinations.isEmpty ? nil : Delivery(options.delivery)
        try delivery?.refuseFile()
        var recognition = try RecognitionChoice(
            options.recognition, alternativeCount: options.alternativeCount, isLive: false,
            status: status)
        writing = try Writing(
            options.writing, standard: TranscribeOptions.standardRules,
            language: recognition.plan.language,
            warn: { [status] in status.warn($0) })
        recognition.spokenMarks = writing.spokenMarks
        self.recognition = recognition
    }

    func run() async throws -> ExitCode {
        let rate = try recognition.sampleRate()
        try await recognition.tellUnknownWords()
        let output: Outputs
        do {
            output = try openOutput()
        } catch {
            guard let number = interruption.signalNumber else { throw error }
            status.fail(CommandError(error).message)
            return ExitCode(endedBy: number)
        }

        let telling = Task { await tellInterruption() }
        let outcomes = await transcribeAll(rate: rate, into: output)
        // This ends the wait for a signal.
        interruption.endInput()
        await telling.value
        status.clearProgress()
        // A line of progress is expected to end with words, and a log without one has its errors.
        let summary = summary(of: outcomes)
        if options.inputs.count > 1, status.showsProgress {
            status.warn(summary.sentence)
        } else if summary.skipped > 0 {
            // It may be the transcript of another recording with the same name.
            status.warn(summary.skippedSentence)
        }
        if let delivery {
            if let remark = delivery.remark { status.warn(remark) }
            Delivery.drainInBackground()
        }
        if outcomes.contains(where: \.isWhole) { recognition.announceModel() }
        // That the reader of standard output has gone needs no sentence, and hides no failure.
        let isUnread = outcomes.contains { $0.failure?.exitCode == .ok }
        let failures = outcomes.compactMap(\.failure).filter { $0.exitCode != .ok }
        let common = failures.first(where: \.concernsAll)
        if let file = output.file {
            // The file gets its name only with complete transcripts. When there is none, an earlier file stays.
            if common != nil || outcomes.count < options.inputs.count
                || outcomes.contains(where: { $0.isCut || $0.isCutOff })
            {
                if outcomes.contains(where: \.hasText), let part = try file.keepPart() { tell(part) }
            } else if outcomes.contains(where: \.isWhole) {
                try file.commit()
            }
        }
        if let common { return common.exitCode }
        if let number = interruption.signalNumber { return ExitCode(endedBy: number) }
        return failures.first?.exitCode ?? (isUnread ? .unread : .ok)
    }

    /// Transcribes the inputs, as many side by side as `--jobs` says, until one has an error of all inputs.
    ///
    /// - Returns: the outcomes of those that were begun, in the order of the inputs.
    private func transcribeAll(rate: Int, into output: Outputs) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            var outcomes: [Outcome] = []
            var next = 0
            var running = 0
            var isStopped = false
            while true {
                while running < options.jobCount, next < options.inputs.count, interruption.signalNumber == nil,
                    !isStopped
                {
                    let index = next
                    group.addTask { await self.transcribe(index, rate: rate, into: output) }
                    next += 1
                    running += 1
                }
                guard let outcome = await group.next() else { break }
                running -= 1
                progress.withLock { $0.finish(outcome.index, isWhole: outcome.isWhole, now: status.now) }
                outcomes.append(outcome)
                if let failure = outcome.failure, failure.concernsAll, !isStopped {
                    // Whoever closed the pipe knows it.
                    if failure.exitCode != .ok { status.fail(failure.message) }
                    // This ends the work on all inputs, also on those that wait for data.
                    group.cancelAll()
                    interruption.endInput()
                    isStopped = true
                }
            }
            return outcomes.sorted { $0.index < $1.index }
        }
    }

    private func summary(of outcomes: [Outcome]) -> RunSummary {
        var summary = RunSummary(left: options.inputs.count - outcomes.count)
        for outcome in outcomes {
            if outcome.wasThere {
                summary.skipped += 1
                summary.changed += outcome.hasChanged ? 1 : 0
            } else if outcome.isCutOff {
                summary.cutOff += 1
            } else if outcome.failure != nil {
                summary.failed += 1
            } else {
                summary.done += 1
                summary.empty += outcome.hasText ? 0 : 1
            }
        }
        return summary
    }

    private struct Outcome: Sendable {
        var index: Int
        var failure: CommandError?
        /// Whether the transcript is complete, although a later step may have failed.
        var isWhole = false
        /// Whether the transcript was there before this run.
        var wasThere = false
        /// Whether the input has changed since.
        var hasChanged = false
        /// Whether the transcript ends before the input does.
        var isCut = false
        /// Whether this process did not read the input to its end.
        var isCutOff = false
        /// Whether the transcript holds text.
        var hasText = false
    }

    private struct Outputs: Sendable {
        /// The output of all transcripts, unless each has a file in a folder.
        var shared: OrderedOutput
        /// The file of `shared`, to be committed; nil for standard output.
        var file: AtomicOutput?
        /// The folder with a file for each input; nil when there is one output.
        var folder: OutputFolder?
    }

    /// Keeps the incomplete files of a transcript with `.part` after the names, and reports their paths.
    private func keepParts(of work: Work) throws {
        for part in try work.files?.keepParts() ?? [] { tell(part) }
    }

    private func tell(_ part: String) { status.fail("what was heard until then is in \(part)") }

    /// One input, and what has come of it.
    private struct Work: Sendable {
        let index: Int
        let input: InputFile
        /// The output of all transcripts, unless this one has a file.
        let shared: OrderedOutput
        /// The files of this transcript; nil where all have one output.
        var files: TranscriptFiles?
        let text = CollectedText()

        func write(_ piece: String, format: Int) throws {
            text.noteOutput()
            if let files { try files.write(piece, format: format) } else { try shared.write(piece, for: index) }
        }

        /// Lets the transcripts after this one into the output.
        func finish() throws { try shared.finish(index) }
    }

    /// Transcribes one input, and reports its errors.
    private func transcribe(_ index: Int, rate: Int, into output: Outputs) async -> Outcome {
        let input = InputFile(path: options.inputs[index], raw: options.raw, interruption: interruption)
        var work = Work(index: index, input: input, shared: output.shared)
        do {
            if let folder = output.folder {
                let recording = OutputAttributes.recording(input.path)
                var files = TranscriptFiles(
                    outputNames[index], in: folder, sends: options.resumes && delivery != nil)
                if let recording { try lookForOthers(than: recording, in: files) }
                if options.resumes, files.areDone { return try leaveOut(work, files) }
                try files.open(of: recording, keepsOthers: options.resumes, interruption)
                work.files = files
            }
            let isCutOff = try await Transcription(
                input: work.input, options: options, recognition: recognition, writing: writing, modelRate: rate,
                status: status, write: work.write, collectText: work.text.add,
                showProgress: { [self] in show($0, of: index) }
            ).run()
            if isCutOff {
                if !work.text.lines.isEmpty { try keepParts(of: work) }
            } else if let files = work.files, try !complete(files, work.text.lines) {
                return try leaveOut(work, files)
            }
            try work.finish()
            // With --resume, the text is queued already, or is queued when a later run completes the input.
            return Outcome(
                index: index, failure: options.resumes ? nil : sendComplete(work, isCutOff: isCutOff),
                isWhole: !isCutOff, isCutOff: isCutOff, hasText: !work.text.lines.isEmpty)
        } catch {
            return end(work, after: error)
        }
    }

    /// Says which outputs that are there, and will be replaced, are the text of another recording; with `--resume` that is an error.
    private func lookForOthers(than recording: String, in files: TranscriptFiles) throws(CommandError) {
        for (path, other) in files.others(than: recording, tellsSizes: options.resumes) {
            if options.resumes { throw CommandError("\(path) is the text of \(other)", .cannotCreate) }
            status.warn("\(path) will be replaced, which is the text of \(other)")
        }
    }

    /// Leaves out an input whose transcript is there.
    private func leaveOut(_ work: Work, _ files: TranscriptFiles) throws -> Outcome {
        let paths = files.paths
        status.detail(
            "\(work.input.name): \(ValueKind.list(paths, word: "and")) \(paths.count == 1 ? "is" : "are") there already"
        )
        try work.finish()
        return Outcome(
            index: work.index, isWhole: true, wasThere: true, hasChanged: paths.contains(where: work.input.isNewer))
    }

    /// Gives the files of a transcript their names, and with `--resume` sends its text.
    ///
    /// - Returns: false where another run has done so meanwhile.
    private func complete(_ files: TranscriptFiles, _ text: String) throws -> Bool {
        if options.resumes {
            return try files.commitOnce(
                sending: delivery == nil || text.isEmpty ? nil : { [self] id in try send(text, id: id) })
        }
        try files.commit()
        return true
    }

    /// Reports the error of an input, and keeps what was written until then; the next inputs follow.
    private func end(_ work: Work, after error: any Error) -> Outcome {
        let failure = CommandError(error)
        // An error of all inputs is reported once, by the caller. An input that this process cut off is not damaged at its end.
        let isCutOff =
            error is CancellationError || interruption.hasEndedInput && failure.exitCode == .dataError
        if !failure.concernsAll && !isCutOff {
            let name = work.input.name
            status.fail("\(name): \(failure.message.replacingOccurrences(of: " \(name):", with: " it:"))")
        }
        var outcome = Outcome(
            index: work.index, failure: isCutOff ? nil : failure, isCut: work.text.hasOutput, isCutOff: isCutOff,
            hasText: !work.text.lines.isEmpty)
        do {
            if outcome.hasText { try keepParts(of: work) }
        } catch {
            status.fail("\(work.input.name): \(CommandError(error).message)")
        }
        do { try work.finish() } catch {
            if !failure.concernsAll { outcome.failure = CommandError(error) }
        }
        return outcome
    }

    /// Queues the text of a complete transcript, and reports the error if that fails.
    private func sendComplete(_ work: Work, isCutOff: Bool) -> CommandError? {
        // A file that an interruption cut off can be transcribed again, and would then be kept twice.
        if delivery != nil, isCutOff, work.input.isRegularFile {
            status.fail("\(work.input.name): it was cut off, and is not delivered; transcribe it again")
            return nil
        }
        do throws(OutboxError) {
            try send(work.text.lines, id: .timeOrdered())
            return nil
        } catch {
            let failure = CommandError(error)
            status.fail("\(work.input.name): \(failure.message)")
            return failure
        }
    }

    /// Says after a signal why it does not end at once.
    private func tellInterruption() async {
        await interruption.wait()
        guard interruption.signalNumber != nil else { return }
        if isatty(STDERR_FILENO) != 0 {
            status.warn("interrupted; writing the text of what was read; Ctrl-C again ends without it")
        }
    }

    /// Shows the progress of the input, or of all inputs when there are several.
    private func show(_ line: ProgressLine, of index: Int) {
        let isInterrupted = interruption.signalNumber != nil
        if options.inputs.count == 1 { return status.show(atOnce: isInterrupted) { line.text(width: $0) } }
        // Of the list, only what was begun is still done.
        if isInterrupted { return }
        progress.withLock { progress in
            progress.update(index, line, now: status.now)
            status.show { progress.text(width: $0) }
        }
    }

    /// Queues the text of one input for the destinations.
    ///
    /// - Parameter id: an id of version 7. Its time says under which day the text is kept, also by a later run.
    private func send(_ text: String, id: UUID) throws(OutboxError) {
        guard let delivery, !text.isEmpty else { return }
        let time = id.timeInMilliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        _ = try delivery.keep(CapturedText(text: text, capturedAt: time ?? Date()), id: id)
    }

    /// The output of all inputs in their order.
    private func ordered(_ write: @escaping @Sendable (String) throws -> Void) -> OrderedOutput {
        let labels = TranscriptLabels(
            channels: options.splitsChannels, speakers: options.tableNamesSpeakers, files: options.namesFiles)
        return OrderedOutput(head: options.format.head(labels), separator: options.format.separator(labels), write)
    }

    /// Opens the output file or creates the output folder, and removes the temporary files that killed processes left there.
    private func openOutput() throws -> Outputs {
        @Sendable func failing(_ body: () throws -> Void) throws {
            do { try body() } catch {
                var failure = CommandError(error)
                failure.concernsAll = true
                throw failure
            }
        }
        if case .file(let path) = options.destination {
            let file = try AtomicOutput(path: path, interruption: interruption)
            file.sweepFolder()
            return Outputs(shared: ordered { text in try failing { try file.write(text) } }, file: file)
        }
        var folder: OutputFolder?
        if case .folder(let path) = options.destination {
            let opened = try OutputFolder(making: path)
            OutputLitter.sweep(opened)
            folder = opened
        }
        let isTerminal = isatty(STDOUT_FILENO) != 0
        let output = ordered { [status, delivery] text in
            // Recognized text is as untrusted as the name of a file.
            let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
            let code = status.duringOutput { Descriptor.write(text, to: STDOUT_FILENO) }
            // If the reader has left, the text still goes to the destinations.
            if code == EPIPE, delivery != nil { return }
            if code != 0 { try failing { throw Output.failure(code) } }
        }
        return Outputs(shared: output, folder: folder)
    }
}

/// The text of one input so far.
private final class CollectedText: Sendable {
    private let text = Mutex("")
    private let isInOutput = Atomic(false)

    /// Records that the output has a part of the transcript, if only its head.
    func noteOutput() { isInOutput.store(true, ordering: .relaxed) }
    /// Whether the output has a part of the transcript.
    var hasOutput: Bool { isInOutput.load(ordering: .relaxed) }

    func add(_ piece: String) { text.withLock { $0 += piece } }

    /// The text without the newline at its end.
    var lines: String { text.withLock { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 } }
}
