import Foundation
import Outbox
import Speech
import Synchronization

/// Writes and sends the results of one source of `utter listen`.
final class ResultWriter: Sendable {
    private let source: ListenSource
    private let options: ListenOptions
    private let output: ListenOutput
    private let writing: Writing
    private let plan: RecognitionPlan
    private let silence: SilenceWatch
    private let order: TurnOrder
    /// Whether a guess is shown.
    private let hasGuess = Atomic(false)

    init(
        _ source: ListenSource, _ options: ListenOptions, output: ListenOutput, writing: Writing, plan: RecognitionPlan,
        silence: SilenceWatch, order: TurnOrder
    ) {
        (self.source, self.options, self.output) = (source, options, output)
        (self.writing, self.plan, self.silence, self.order) = (writing, plan, silence, order)
    }

    /// Writes a guess, or writes a final when no earlier one can come.
    ///
    /// - Throws: `CommandError` when standard output can't be written.
    func write(_ result: SpeechTranscriber.Result) async throws {
        let text = result.text.spoken
        let end = result.range.upperBound.seconds
        silence.heard(text, isFinal: result.isFinal, through: end, source: source.index)
        var heard = TranscribedSegment(
            result, language: plan.language, channel: source.name.map { _ in source.index + 1 },
            namesPass: plan.deciding != nil, alternativeCount: options.alternativeCount ?? 0)
        heard?.speaker = source.name
        let segment = await writing.written(heard)
        // An empty final result removes the guess.
        if segment == nil, hasGuess.load(ordering: .relaxed) || !text.isEmpty || source.name == nil {
            try await output.write(
                .volatile(
                    text: text, start: result.range.lowerBound.seconds, end: end, speaker: source.name))
        }
        hasGuess.store(!result.isFinal && !text.isEmpty, ordering: .relaxed)
        try await order.add(segment, source: source.index, through: result.resultsFinalizationTime.seconds)
    }

    /// Says that no more comes from this source, and delays no other any more.
    func finish() async throws { try await order.add(nil, source: source.index, through: .infinity) }
}

/// The results of all sources in the order of their starts, each as soon as no earlier one can come. Writes them, and passes them to
/// the destinations and the user's command.
actor TurnOrder {
    private let output: ListenOutput
    private let sender: UtteranceSender?
    private let command: UtteranceCommand?
    /// Nil for one source, whose results are in order.
    private var merger: SegmentMerger?
    private var due: [TranscribedSegment] = []
    private var isWriting = false

    init(sourceCount: Int, output: ListenOutput, sender: UtteranceSender?, command: UtteranceCommand?) {
        (self.output, self.sender, self.command) = (output, sender, command)
        merger = sourceCount > 1 ? SegmentMerger(channelCount: sourceCount) : nil
    }

    /// Adds the progress of a source, and writes what is due.
    ///
    /// - Parameters:
    ///   - segment: the next text of the source; nil where there is none.
    ///   - source: the index of the source.
    ///   - time: the time up to which the source is final, in seconds.
    /// - Throws: `CommandError` when standard output can't be written.
    func add(_ segment: TranscribedSegment?, source: Int, through time: Double) async throws {
        due += merger?.add(segment, channel: source, through: time) ?? [segment].compactMap { $0 }
        // Another source may come here while a text is being written; its own is written after that.
        if isWriting { return }
        isWriting = true
        defer { isWriting = false }
        while !due.isEmpty { try await pass(due.removeFirst()) }
    }

    private func pass(_ segment: TranscribedSegment) async throws {
        let lines = segment.lines
        let id = UUID.timeOrdered()
        let types = sender?.types ?? false
        if types, segment.takesBack {
            sender?.add(.takeBack, id: id)
            return
        }
        let isBlank = lines.allSatisfy(\.isWhitespace)
        let capture = CapturedText(text: lines)
        var labelled = capture
        if segment.speaker != nil { labelled.text = String(TextFormatter().segment(segment).dropLast()) }
        if types ? !lines.isEmpty : !isBlank { sender?.add(.text(labelled), id: id) }
        try await output.write(.final(segment))
        if !lines.isEmpty { command?.add(capture, id: id, speaker: segment.speaker) }
    }

    /// Waits until everything has been passed on.
    func finish() async {
        await command?.finish()
        await sender?.finish()
    }
}
