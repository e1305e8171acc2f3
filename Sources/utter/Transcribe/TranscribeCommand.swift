import Audio
import Foundation
import Speech

/// Carries out `utter transcribe`.
func runTranscribe(_ arguments: ParsedArguments) async -> ExitCode {
    do {
        return try await TranscribeCommand(TranscribeOptions(arguments)).run()
    } catch let error as UsageError {
        Console.say(error.description, layout: .tabsAndNewlines)
        return error.exitCode
    } catch {
        let error = CommandError(error)
        Console.tell(error.message)
        return error.exitCode
    }
}

/// `utter transcribe` with its options.
struct TranscribeCommand {
    private let options: TranscribeOptions
    private let status: Status
    private let interruption = Interruption()
    private let installed: InstalledModel
    private let model: SpeechModel
    private let context: AnalysisContext

    init(_ options: TranscribeOptions) throws {
        self.options = options
        status = Status(isQuiet: options.isQuiet, isVerbose: options.isVerbose)
        let choice = ModelChoice(model: options.model, locale: options.locale)
        installed = try choice.model.resolved()
        model = SpeechModel(path: installed.path)
        context = AnalysisContext(contextualStrings: [.general: try Self.phrases(options)])
        if options.isVerbose {
            SpeechLog.setHandler { [status] _, message in status.detail("libvosk: \(message)") }
        }
        if !choice.isExplicit && installed.isBuiltIn { ModelChoice.announceBuiltIn(status) }
    }

    func run() async throws -> ExitCode {
        let rate = try installed.sampleRate()
        try await tellUnknownWords()
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
        if let common = failures.values.first(where: \.concernsAll) { return common.exitCode }
        // When nothing could be transcribed the old file is worth more than an empty one.
        if successCount > 0 { try file?.commit() } else { try file?.commitWhatThereIs() }
        if let number = interruption.signalNumber { return number == SIGINT ? .interrupted : .terminated }
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
        do {
            var write: @Sendable (String) throws -> Void = { try shared.write($0, for: index) }
            if case .folder(let folder) = options.destination {
                let path = folder + "/" + options.outputName(for: input.path)
                let opened = try SharedOutputFile(path: path)
                file = opened
                write = { try opened.write($0) }
            }
            let transcription = Transcription(
                input: input, options: options, model: model, modelName: installed.name, modelRate: rate,
                context: context, status: status, write: write,
                showProgress: { line in if shared.current == index || options.jobCount > 1 { status.progress(line) } })
            try await transcription.run()
            try file?.commit()
            try shared.finish(index)
            return nil
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
                if !failure.concernsAll && !(error is CancellationError) { try file?.commitWhatThereIs() }
                try shared.finish(index)
            } catch {
                return failure.concernsAll ? failure : CommandError(error)
            }
            return failure
        }
    }

    /// Where everything goes that does not go into a folder; the file is to be committed.
    private func openOutput() throws -> (OrderedOutput, SharedOutputFile?) {
        @Sendable func failure(_ error: FileError) -> CommandError {
            var failure = CommandError(error)
            failure.concernsAll = true
            return failure
        }
        if case .file(let path) = options.destination {
            let file = try SharedOutputFile(path: path)
            let output = OrderedOutput {
                do { try file.write($0) } catch let error as FileError { throw failure(error) }
            }
            return (output, file)
        }
        let isTerminal = isatty(STDOUT_FILENO) != 0
        let output = OrderedOutput { [status] text in
            // A model's words are no more to be trusted than a file's name.
            let text = isTerminal ? TerminalText.visible(text, layout: .tabsAndNewlines) : text
            let code = status.duringOutput { Descriptor.write(text, to: STDOUT_FILENO) }
            if code == 0 { return }
            var error = failure(FileError(.write, path: "standard output", errno: code))
            if code == EPIPE { error.exitCode = .ok }
            throw error
        }
        return (output, nil)
    }

    /// Loads the model for its vocabulary, and tells which words of the user's own it lacks.
    private func tellUnknownWords() async throws {
        guard context != AnalysisContext(contextualStrings: [.general: []]) else { return }
        let transcriber = SpeechTranscriber(
            model: model, endpointing: Endpointing(trailingSilence: options.endpointSilence), modelRetention: .processLifetime)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        try await analyzer.setContext(context)
        let words = await transcriber.unknownContextualWords
        await analyzer.cancelAndFinishNow()
        if !words.isEmpty {
            status.warn("\(installed.name) does not know these words, and can't hear them: \(words.joined(separator: ", "))")
        }
    }

    /// The phrases of the options and of the vocabulary file, a line each; `#` begins a comment.
    private static func phrases(_ options: TranscribeOptions) throws -> [String] {
        guard let path = options.vocabularyFile else { return options.phrases }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            let isUnreadable = !FileManager.default.isReadableFile(atPath: path)
            throw CommandError(
                isUnreadable ? "can't read the vocabulary \(path)" : "the vocabulary \(path) is not a text file in UTF-8",
                isUnreadable ? .noInput : .dataError)
        }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        let phrases = lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        if phrases.isEmpty && options.phrases.isEmpty { throw CommandError("the vocabulary \(path) holds no phrase", .dataError) }
        return options.phrases + phrases
    }
}
