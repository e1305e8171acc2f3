import Foundation
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
    private let hasGuess = Atomic(false)

    init(
        _ source: ListenSource, _ options: ListenOptions, output: ListenOutput, writing: Writing, plan: RecognitionPlan,
        silence: SilenceWatch, order: TurnOrder
    ) {
        (self.source, self.options, self.output) = (source, options, output)
        (self.writing, self.plan, self.silence, self.order) = (writing, plan, silence, order)
    }

    /// Writes a guess, or writes a final when no earlier one can come.
    func write(_ result: SpeechTranscriber.Result) async {
        let text = result.text.spoken
        let end = result.range.upperBound.seconds
        silence.heard(text, isFinal: result.isFinal, through: end, source: source.index)
        var heard = TranscribedSegment(
            result, language: plan.language, channel: source.name.map { _ in source.index + 1 },
            namesPass: plan.deciding != nil, alternativeCount: options.alternativeCount ?? 0)
        heard?.speaker = source.name
        if let start = heard?.start {
            heard?.spokenAt = Date(timeIntervalSinceNow: start - source.capture.duration)
        }
        var isWritten = false
        // A final text that replaces a guess may have several sentences. Where the guesses are written too, it stays one event: after
        // the first of several, the others would not be on a client's screen for a moment.
        var sentences = (output.writesGuesses ? heard.map { [$0] } : heard?.sentences) ?? []
        if order.takesBack { sentences = sentences.flatMap(writing.divided) }
        for sentence in sentences {
            guard let segment = await writing.written(sentence) else { continue }
            isWritten = true
            await order.add(segment, source: source.index, through: min(segment.end, end))
        }
        // An empty final result removes the guess.
        if !isWritten, hasGuess.load(ordering: .relaxed) || !text.isEmpty || source.name == nil {
            output.write(
                .volatile(
                    text: text, start: result.range.lowerBound.seconds, end: end, speaker: source.name))
        }
        hasGuess.store(!result.isFinal && !text.isEmpty, ordering: .relaxed)
        await order.add(nil, source: source.index, through: result.resultsFinalizationTime.seconds)
        if order.takesGuesses { await order.add(guess: writtenGuess(result)) }
    }

    /// A guess as its final text would be written, but for the user's own command, which would run for each one. A command and a
    /// final text leave no guess.
    private func writtenGuess(_ result: SpeechTranscriber.Result) async -> String {
        if result.isFinal { return "" }
        let heard = TranscribedSegment(
            text: result.text.spoken, language: result.language ?? plan.language, start: 0, end: 0,
            pass: plan.deciding == nil ? nil : result.pass.rawValue)
        guard let written = await Writing(writing.rules).written(heard), !written.takesBack else { return "" }
        return written.lines
    }

    /// Says that no more comes from this source, and delays no other any more.
    func finish() async { await order.add(nil, source: source.index, through: .infinity) }
}
