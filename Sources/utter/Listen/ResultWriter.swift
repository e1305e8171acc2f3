import Foundation
import Outbox
import Speech

/// Writes and sends the results of `utter listen`.
struct ResultWriter {
    let options: ListenOptions
    let output: ListenOutput
    let writing: Writing
    /// The code of the language where a result does not say it.
    let language: String?
    /// Whether each final says which pass it is from.
    let namesPass: Bool
    let silence: SilenceWatch
    let sender: UtteranceSender?
    let command: UtteranceCommand?

    /// Writes a guess, or writes a final and passes it to the destinations and the user's command.
    ///
    /// - Throws: `CommandError` when standard output can't be written.
    func write(_ result: SpeechTranscriber.Result) async throws(CommandError) {
        let text = result.text.spoken
        let end = result.range.upperBound.seconds
        silence.heard(text, isFinal: result.isFinal, through: end)
        let heard = TranscribedSegment(
            result, language: language, channel: nil, namesPass: namesPass,
            alternativeCount: options.alternativeCount ?? 0)
        guard let segment = await writing.written(heard) else {
            // An empty final result removes the guess.
            return try await output.write(.volatile(text: text, start: result.range.lowerBound.seconds, end: end))
        }
        let lines = segment.lines
        let capture = CapturedText(text: lines)
        let id = UUID.timeOrdered()
        if !lines.allSatisfy(\.isWhitespace) { sender?.add(capture, id: id) }
        try await output.write(.final(segment))
        if !lines.isEmpty { command?.add(capture, id: id) }
    }

    /// Waits until everything has been passed on.
    func finish() async {
        await command?.finish()
        await sender?.finish()
    }
}
