import Audio
import Foundation
import Outbox
import Speech
import Synchronization

/// Carries out `utter transcribe`.
func runTranscribe(_ arguments: ParsedArguments) async -> ExitCode {
    await Utter.reporting { try await TranscribeCommand(TranscribeOptions(arguments)).run() }
}

/// `utter transcribe` with its options.
struct TranscribeCommand {
    private let options: TranscribeOptions
    private let status: Status
    private let interruption = Interruption()
    private let recognition: RecognitionChoice
    /// Nil when no destination was named.
    private let delivery: Delivery?

    init(_ options: TranscribeOptions) throws {
        self.options = options
        status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose)
        delivery = try options.delivery.destinations.isEmpty ? nil : Delivery(options.delivery)
        recognition = try RecognitionChoice(options.recognition, status: status)
    }

    func run() async throws -> ExitCode {
        let rate = try recognition.installed.sampleRate()
        try await recognition.tellUnknownWords(endpointing: options.endpointing)
        let (output, file) = try openOutput()

        let (failures, successCount) = await withTaskGroup(of: (Int, CommandError?).self) { group in
            var failures: [Int: CommandError] = [:]
            var successCount = 0
            var next = 0
            var running = 0
            while true {
                while running < options.jobCount, next < options.inputs.count, interruption.signalNumber == nil {
                    let index = next
                    group.addTask { (index, await transcribe(index, rate: rate, into: output)) }
                    next += 1
                    running += 1
                }
                guard let (index, failure) = await group.next() else { break }
                running -= 1
                failures[index] = failure
                if failure == nil { successCount += 1 }
                if let failure, failure.concernsAll {
                    // A reader that has read enough is no failure.
                    if failure.exitCode != .ok { status.fail(failure.message) }
                    stop(&group)
                    break
                }
            }
            return (failures, successCount)
        }
        status.clearProgress()
        if delivery != nil { Delivery.drainInBackground() }
        if let common = failures.values.first(where: \.concernsAll) { return common.exitCode }
        // When nothing could be transcribed the old file is worth more than an empty one.
        if successCount > 0 { try file?.commit() } else { try file?.commitWhatThereIs() }
        if let number = interruption.signalNumber { return ExitCode(endedBy: number) }
        return failures.min { $0.key < $1.key }?.value.exitCode ?? .ok
    }

    /// Ends the work on all files, also on those that wait for input.
    private func stop(_ group: inout TaskGroup<(Int, CommandError?)>) {
        group.cancelAll()
        interruption.endInput()
    }

    /// Transcribes one input; says what went wrong with it, and returns it.
    private func transcribe(_ index: Int, rate: Int, into shared: OrderedOutput) async -> CommandError? {
        let input = InputFile(path: options.inputs[index], raw: options.raw, interruption: interruption)
        var file: SharedOutputFile?
        let text = CollectedText()
        do {
            var write: @Sendable (String) throws -> Void = { try shared.write($0, for: index) }
            if case .folder(let folder) = options.destination {
                let path = folder + "/" + options.outputName(for: input.path)
                if options.resumes, access(path, F_OK) == 0 {
                    status.detail("\(input.name): \(path) is there already")
                    try shared.finish(index)
                    return nil
                }
                let opened = try SharedOutputFile(path: path)
                file = opened
                write = { try opened.write($0) }
            }
            let transcription = Transcription(
                input: input, options: options, recognition: recognition, modelRate: rate, status: status, write: write,
                collectText: delivery == nil ? nil : text.add,
                showProgress: { line in if shared.current == index || options.jobCount > 1 { status.progress(line) } })
            try await transcription.run()
            if options.resumes {
                // What was cut off is not done, and what is there is not sent again.
                if interruption.hasEndedInput { throw CancellationError() }
                try send(text.lines)
            }
            try file?.commit()
            try shared.finish(index)
            if options.resumes { return nil }
        } catch {
            let failure = CommandError(error)
            // What is wrong for all is told once, and an input that we have cut off ourselves is not to blame for its end.
            let isCutOff = interruption.hasEndedInput && failure.exitCode == .dataError
            if !failure.concernsAll && !isCutOff && !(error is CancellationError) {
                let message = failure.message.replacingOccurrences(of: " \(input.name):", with: " it:")
                status.fail("\(input.name): \(message)")
            }
            // What stands before it in the output stays, and those behind it move up.
            do {
                if !failure.concernsAll && !options.resumes && !(error is CancellationError) { try file?.commitWhatThereIs() }
                try shared.finish(index)
            } catch {
                return failure.concernsAll ? failure : CommandError(error)
            }
            return failure
        }
        do throws(OutboxError) {
            try send(text.lines)
            return nil
        } catch {
            let failure = CommandError(error)
            status.fail("\(input.name): \(failure.message)")
            return failure
        }
    }

    /// Queues the text of one input for the outbox's destinations.
    private func send(_ text: String) throws(OutboxError) {
        guard let delivery, !text.isEmpty else { return }
        _ = try delivery.send(Capture(text: text), id: .timeOrdered())
    }

    /// Where everything goes that does not go into a folder; the file is to be committed.
    private func openOutput() throws -> (OrderedOutput, SharedOutputFile?) {
        @Sendable func failing(_ body: () throws -> Void) throws {
            do { try body() } catch {
                var failure = CommandError(error)
                failure.concernsAll = true
                throw failure
            }
        }
        if case .file(let path) = options.destination {
            let file = try SharedOutputFile(path: path)
            let output = OrderedOutput { text in try failing { try file.write(text) } }
            return (output, file)
        }
        let isTerminal = isatty(STDOUT_FILENO) != 0
        let output = OrderedOutput { [status] text in
            // A model's words are no more to be trusted than a file's name.
            let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
            let code = status.duringOutput { Descriptor.write(text, to: STDOUT_FILENO) }
            if code != 0 { try failing { throw Output.failure(code) } }
        }
        return (output, nil)
    }
}

/// The text of one input, as it grows.
private final class CollectedText: Sendable {
    private let text = Mutex("")

    func add(_ piece: String) { text.withLock { $0 += piece } }

    /// Without the newline at the end.
    var lines: String { text.withLock { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 } }
}
