import Audio
import Foundation
import Speech

/// The transcription of one input, from opening it to the last line of its transcript.
struct Transcription: Sendable {
    var input: InputFile
    var options: TranscribeOptions
    var recognition: RecognitionChoice
    var writing: Writing
    /// The sample rate of the model, in Hz.
    var modelRate: Int
    var status: Status
    /// Gets the transcript in its format, piece by piece.
    var write: @Sendable (String) throws -> Void
    /// Gets the transcript as plain text, whatever the format.
    var collectText: (@Sendable (String) -> Void)?
    var showProgress: @Sendable (ProgressLine) -> Void

    /// One channel's analysis.
    private struct Lane {
        var analyzer: SpeechAnalyzer
        var transcriber: ChosenTranscriber
    }

    /// How much of the input was analyzed, and why no more.
    private struct Fed: Sendable {
        /// The number of samples. It is exact, unlike a sum of seconds, whose last digit depends on the blocks.
        var sampleCount = 0
        /// The error that ended the input; nil at its end.
        var failure: (any Error)?
    }

    /// Transcribes the input.
    ///
    /// - Throws: the errors of the input, the recognizer and the output.
    func run() async throws {
        let stream = AudioBlockStream { [input, options, modelRate] in
            let source = try input.open()
            if case .one(let channel) = options.channels, channel > source.channelCount {
                throw CommandError("it has no channel \(channel), only \(source.channelCount)", .dataError)
            }
            let channels: AudioBlockReader.Channels =
                switch options.channels {
                case .mix: .mix
                case .one(let channel): .one(channel - 1)
                case .split: .each
                }
            return try AudioBlockReader(source, channels: channels, sampleRate: modelRate)
        }
        let description = try await stream.describe()
        let lanes = (0..<description.streamCount).map { _ in
            let transcriber = makeTranscriber()
            return Lane(analyzer: SpeechAnalyzer(modules: [transcriber.module]), transcriber: transcriber)
        }
        if recognition.hasVocabulary {
            for lane in lanes { try await lane.analyzer.setContext(recognition.context) }
        }
        // Analyzing no samples loads the model, so that a broken one is found before anything is written.
        for lane in lanes {
            let nothing = AnalyzerInput(samples: [], sampleRate: modelRate)
            _ = try await lane.analyzer.analyzeSequence(SingleInput(nothing))
        }
        let labelsChannels = options.channels == .split
        let writer = TranscriptWriter(
            options.format, channelCount: lanes.count, labelsChannels: labelsChannels, namesFiles: options.namesFiles,
            collectText: collectText, write: write)
        try writer.begin(file: input.name, model: recognition.installed.name)

        let fed: Fed
        do {
            fed = try await withThrowingTaskGroup(of: Fed?.self) { group in
                for (channel, lane) in lanes.enumerated() {
                    group.addTask {
                        for try await result in lane.transcriber.results {
                            let segment = TranscribedSegment(
                                result, channel: labelsChannels ? channel + 1 : nil, namesPass: recognition.secondPass != nil,
                                alternativeCount: options.alternativeCount ?? 0)
                            try writer.add(
                                await writing.written(segment), channel: channel, through: result.resultsFinalizationTime.seconds)
                        }
                        // At its end, this channel delays no other any more.
                        try writer.add(nil, channel: channel, through: .infinity)
                        return nil
                    }
                }
                group.addTask {
                    let fed = await feed(lanes, from: stream, description)
                    try Task.checkCancellation()
                    for lane in lanes { try await lane.analyzer.finalizeAndFinishThroughEndOfInput() }
                    return fed
                }
                return try await group.reduce(Fed()) { $1 ?? $0 }
            }
        } catch {
            for lane in lanes { await lane.analyzer.cancelAndFinishNow() }
            throw error
        }
        try writer.end(duration: duration(of: fed.sampleCount))
        if let failure = fed.failure { throw failure }
        // An input that this process cut off is not damaged at its end.
        if !input.interruption.hasEndedInput {
            for complaint in await stream.complaints { status.warn("\(input.name): \(complaint)") }
        }
        await tellLedger(lanes)
    }

    /// Passes the input to the lanes block by block, and reads the next block meanwhile. After an error, the earlier blocks are kept.
    private func feed(
        _ lanes: [Lane], from stream: AudioBlockStream, _ description: AudioBlockStream.Description
    ) async -> Fed {
        var fed = Fed()
        do {
            try await feed(lanes, from: stream, description, &fed.sampleCount)
        } catch {
            fed.failure = error
        }
        return fed
    }

    private func feed(
        _ lanes: [Lane], from stream: AudioBlockStream, _ description: AudioBlockStream.Description,
        _ sampleCount: inout Int
    ) async throws {
        let start = status.now
        var blocks = try await stream.next()
        while let current = blocks {
            async let following = stream.next()
            for (lane, block) in zip(lanes, current) {
                _ = try await lane.analyzer.analyzeSequence(SingleInput(AnalyzerInput(buffer: block)))
            }
            sampleCount += current.map(\.samples.count).max() ?? 0
            if status.showsProgress {
                let elapsed = status.now - start
                let duration = duration(of: sampleCount)
                showProgress(
                    ProgressLine(
                        fileName: input.name, done: duration, total: description.declaredDuration,
                        speed: elapsed > 0.2 ? duration / elapsed : nil))
            }
            blocks = try await following
        }
    }

    /// The duration of so many samples, in seconds.
    private func duration(of sampleCount: Int) -> Double { Double(sampleCount) / Double(modelRate) }

    private func makeTranscriber() -> ChosenTranscriber {
        // To merge the channels' segments, each channel must report its progress also when nobody speaks.
        recognition.recordedTranscriber(
            reportsSilences: options.channels == .split, alternativeCount: options.alternativeCount, sharesWindows: input.isRegularFile,
            endpointing: options.endpointing, report: { [status, input] in status.warn("\(input.name): \($0)") })
    }

    private func tellLedger(_ lanes: [Lane]) async {
        for (index, lane) in lanes.enumerated() {
            let ledger = await lane.transcriber.ledger
            let label = lanes.count > 1 ? " channel \(index + 1)" : ""
            status.detail(
                "\(input.name)\(label): \(ledger.delivered) samples = \(ledger.transcribed) transcribed + \(ledger.silent) silent"
                    + " + \(ledger.pending) pending; \(ledger.missing) missing")
            if let counts = await lane.transcriber.counts { status.detail("\(input.name)\(label): \(counts.sentence)") }
        }
    }
}

/// A sequence of one analyzer input.
struct SingleInput: AsyncSequence, Sendable {
    let input: AnalyzerInput

    init(_ input: AnalyzerInput) { self.input = input }

    struct AsyncIterator: AsyncIteratorProtocol {
        var input: AnalyzerInput?

        mutating func next() async -> AnalyzerInput? {
            defer { input = nil }
            return input
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(input: input) }
}

extension TranscribedSegment {
    /// Creates the segment of a final result; nil when the result is a guess or nothing was said.
    init?(_ result: SpeechTranscriber.Result, channel: Int?, namesPass: Bool = false, alternativeCount: Int) {
        let text = String(result.text.characters)
        guard result.isFinal, !text.isEmpty else { return nil }
        let words = result.words.map {
            TranscribedWord(
                text: $0.text, start: $0.range.lowerBound.seconds, end: $0.range.upperBound.seconds, confidence: $0.confidence)
        }
        self.init(
            text: text, start: words.first?.start ?? result.range.lowerBound.seconds,
            end: words.last?.end ?? result.range.upperBound.seconds,
            confidence: result.alternativeConfidences[0], words: words,
            alternatives: zip(result.alternatives, result.alternativeConfidences).prefix(alternativeCount).map {
                Alternative(text: String($0.characters), confidence: $1)
            },
            channel: channel, pass: namesPass ? result.pass.rawValue : nil)
    }
}
