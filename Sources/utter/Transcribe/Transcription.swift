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
    /// Gets the transcript in each format, piece by piece, with the format's place in the options.
    var write: @Sendable (_ text: String, _ format: Int) throws -> Void
    /// Gets the transcript as plain text, whatever the format.
    var collectText: (@Sendable (String) -> Void)?
    var showProgress: @Sendable (ProgressLine) -> Void

    private struct Lane {
        /// Counted from 0.
        var channel: Int
        /// The name of the channel; nil where it has none.
        var speaker: String?
        var progress: Progress
        var analyzer: SpeechAnalyzer
        var transcriber: any ChosenTranscriber

        /// Takes in a block, and returns when it is decoded: the next is read meanwhile, and no more.
        func feed(_ block: AudioBlock) async throws {
            _ = try await analyzer.analyzeSequence(
                AsyncStream { input in
                    input.yield(AnalyzerInput(buffer: block))
                    input.finish()
                })
        }
    }

    /// What the line of progress needs.
    private struct Progress: Sendable {
        let advance: TranscriptionAdvance
        let start: Double
        let total: Double?
    }

    private func show(_ progress: Progress) {
        guard status.showsProgress else { return }
        let (done, elapsed) = (progress.advance.done, status.now - progress.start)
        // After a signal, only what was read is left to do.
        let total = input.interruption.signalNumber == nil ? progress.total : progress.advance.read
        showProgress(
            ProgressLine(
                fileName: input.name, done: done, total: total,
                speed: elapsed > 2 && done > 0 ? done / elapsed : nil))
    }

    /// How much of the input was analyzed, and why no more.
    private struct Fed: Sendable {
        /// The number of samples. It is exact, unlike a sum of seconds, whose last digit depends on the blocks.
        var sampleCount = 0
        /// The error that ended the input; nil at its end.
        var failure: (any Error)?
        /// Whether this process was to end before the input did. A signal while the last of it is decoded cuts nothing off.
        var isCutOff = false
    }

    /// Transcribes the input.
    ///
    /// - Returns: whether this process was to end before the input did, so that the text is not that of all of it.
    func run() async throws -> Bool {
        let version = input.version
        let stream = AudioBlockStream { [self] in try openReader() }
        let description = try await stream.describe()
        let progress = Progress(
            advance: TranscriptionAdvance(channelCount: description.streamCount), start: status.now,
            total: description.declaredDuration)
        let lanes = try await makeLanes(speakers(of: description), progress)
        let writer = TranscriptWriter(
            options.formats, channelCount: lanes.count,
            TranscriptLabels(
                channels: options.splitsChannels,
                speakers: options.namesFiles ? options.tableNamesSpeakers : lanes.contains { $0.speaker != nil },
                files: options.namesFiles),
            collectText: collectText, write: write)
        try writer.begin(file: input.name, model: recognition.plan.name)
        let fed: Fed
        do {
            fed = try await transcribe(lanes, from: stream, into: writer)
        } catch {
            for lane in lanes { await lane.analyzer.cancelAndFinishNow() }
            // What was heard before is kept, in a form that programs can read.
            try? writer.end(duration: progress.advance.read, isComplete: false)
            throw error
        }
        // An input that this process cut off is not damaged at its end.
        let isCutOff = fed.isCutOff
        var failure = fed.failure
        if failure == nil, !isCutOff { failure = await defect(of: stream, since: version) }
        try writer.end(duration: duration(of: fed.sampleCount), isComplete: failure == nil && !isCutOff)
        progress.advance.finish()
        show(progress)
        if fed.failure == nil, !isCutOff {
            for complaint in await stream.complaints { status.warn("\(input.name): \(complaint)") }
        }
        if let failure, !isCutOff || CommandError(failure).exitCode != .dataError { throw failure }
        await tellCounts(lanes)
        return isCutOff
    }

    /// The reason why the text may lack something, although the input was read to its end; nil where there is none.
    private func defect(of stream: AudioBlockStream, since version: InputFile.Version?) async -> CommandError? {
        if let version, let last = input.version, last != version {
            // Nobody knows which of its sound was heard.
            return CommandError(
                "it was written or replaced while it was read, so the text may lack something; transcribe it again when it is whole",
                .dataError)
        }
        if await stream.isCancelled {
            return CommandError(
                "its channels cancel each other, as one is the other upside down, so their mix is nearly silent; transcribe one of "
                    + "them: --channel 1", .dataError)
        }
        if input.hasUndeclaredSound {
            return CommandError(
                "more sound follows after all that its header announces, and was not heard; to repair it: "
                    + "sox --ignore-length \(ShellWord.quoted(input.path)) repaired.wav", .dataError)
        }
        return nil
    }

    private func openReader() throws -> AudioBlockReader {
        let source = try input.open()
        if case .channel(let channel) = options.channels, channel >= source.channelCount {
            throw CommandError("it has no channel \(channel + 1), only \(source.channelCount)", .dataError)
        }
        let names = options.channelNames.count
        if names > 0, names != source.channelCount {
            throw CommandError(
                ChannelNames.mismatch(channelCount: source.channelCount, nameCount: names), .dataError)
        }
        return try AudioBlockReader(
            source, channels: options.channels, splitsChannels: options.splitsChannels, sampleRate: modelRate)
    }

    /// The name of the one who speaks in each stream; nil where there is none.
    private func speakers(of description: AudioBlockStream.Description) -> [String?] {
        guard options.splitsChannels else { return [String?](repeating: nil, count: description.streamCount) }
        if !options.channelNames.isEmpty { return options.channelNames }
        let names = ChannelNames.ofFile(description.channelNames)
        return (0..<description.streamCount).map { $0 < names.count ? names[$0] : nil }
    }

    /// Makes a lane for each channel, with its model loaded: what is wrong with that is known before anything is written.
    private func makeLanes(_ speakers: [String?], _ progress: Progress) async throws -> [Lane] {
        let lanes = speakers.enumerated().map { channel, speaker in
            // To merge the channels' segments, each channel must report its progress also when nobody speaks.
            let transcriber = recognition.recordedTranscriber(
                reportsSilences: options.splitsChannels, width: options.jobCount,
                streams: speakers.count * min(options.jobCount, options.inputs.count),
                report: status.warn)
            return Lane(
                channel: channel, speaker: speaker, progress: progress,
                analyzer: SpeechAnalyzer(modules: [transcriber]),
                transcriber: transcriber)
        }
        if recognition.hasVocabulary {
            for lane in lanes { try await lane.analyzer.setContext(recognition.context) }
        }
        for lane in lanes { try await lane.analyzer.prepareToAnalyze(warmingUp: false) }
        return lanes
    }

    /// Passes the input to the lanes, and writes their results meanwhile.
    private func transcribe(
        _ lanes: [Lane], from stream: AudioBlockStream, into writer: TranscriptWriter
    ) async throws -> Fed {
        try await withThrowingTaskGroup(of: Fed?.self) { group in
            for lane in lanes {
                group.addTask {
                    try await write(lane, to: writer)
                    return nil
                }
            }
            group.addTask {
                var fed = await feed(lanes, from: stream)
                try Task.checkCancellation()
                // What could not be decoded is an error, but all else is written.
                for lane in lanes {
                    do { try await lane.analyzer.finalizeAndFinishThroughEndOfInput() } catch {
                        fed.failure = fed.failure ?? error
                    }
                }
                return fed
            }
            return try await group.reduce(Fed()) { $1 ?? $0 }
        }
    }

    private func write(_ lane: Lane, to writer: TranscriptWriter) async throws {
        for try await result in lane.transcriber.results {
            var segment = TranscribedSegment(
                result, language: recognition.plan.language, channel: options.splitsChannels ? lane.channel + 1 : nil,
                namesPass: recognition.plan.deciding != nil,
                alternativeCount: options.alternativeCount ?? 0)
            segment?.speaker = lane.speaker
            try writer.add(
                await writing.written(segment), channel: lane.channel, through: result.resultsFinalizationTime.seconds)
            lane.progress.advance.decided(channel: lane.channel, through: result.resultsFinalizationTime.seconds)
            show(lane.progress)
        }
        // At its end, this channel delays no other any more.
        try writer.add(nil, channel: lane.channel, through: .infinity)
    }

    /// Passes the input to the lanes block by block, and reads the next block meanwhile. After an error, the earlier blocks are kept.
    private func feed(_ lanes: [Lane], from stream: AudioBlockStream) async -> Fed {
        var fed = Fed()
        do {
            var blocks = try await stream.next()
            while let current = blocks {
                async let following = stream.next()
                for (lane, block) in zip(lanes, current) { try await lane.feed(block) }
                fed.sampleCount += current.map(\.samples.count).max() ?? 0
                if let progress = lanes.first?.progress {
                    progress.advance.read(through: duration(of: fed.sampleCount))
                    show(progress)
                }
                blocks = try await following
            }
        } catch {
            fed.failure = error
        }
        fed.isCutOff = input.interruption.hasEndedInput
        return fed
    }

    /// The duration of so many samples, in seconds.
    private func duration(of sampleCount: Int) -> Double { Double(sampleCount) / Double(modelRate) }

    private func tellCounts(_ lanes: [Lane]) async {
        for (index, lane) in lanes.enumerated() {
            let label = lanes.count > 1 ? " channel \(index + 1)" : ""
            status.detail("\(input.name)\(label): \(await lane.transcriber.ledger.sentence)")
            guard let counts = await lane.transcriber.utteranceCounts, let model = recognition.plan.deciding else {
                continue
            }
            status.detail("\(input.name)\(label): \(counts.sentence)")
            if let remark = counts.remark(on: model) { status.warn("\(input.name)\(label): \(remark)") }
        }
    }
}

extension TranscribedSegment {
    /// Creates the segment of a final result; nil when the result is a guess or nothing was said. Where the result does not say its
    /// language, that is another.
    init?(
        _ result: SpeechTranscriber.Result, language: String?, channel: Int?, namesPass: Bool = false,
        alternativeCount: Int
    ) {
        let text = result.text.spoken
        guard result.isFinal, !text.isEmpty else { return nil }
        let words = result.words.map {
            TranscribedWord(
                text: $0.text, start: $0.range.lowerBound.seconds, end: $0.range.upperBound.seconds,
                confidence: $0.confidence)
        }
        self.init(
            text: text, language: result.language ?? language,
            start: words.first?.start ?? result.range.lowerBound.seconds,
            end: words.last?.end ?? result.range.upperBound.seconds,
            confidence: result.alternativeConfidences[0], words: words,
            alternatives: zip(result.alternatives, result.alternativeConfidences).prefix(alternativeCount).map {
                Alternative(text: $0.spoken, confidence: $1)
            },
            channel: channel, pass: namesPass ? result.pass.rawValue : nil)
    }
}
