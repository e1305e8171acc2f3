import Foundation
import Outbox

/// The results of all sources in the order of their starts, each as soon as no earlier one can come. Writes them, and passes them to
/// the destinations and the user's command.
actor TurnOrder {
    private let output: ListenOutput
    private let sender: UtteranceSender?
    private let command: UtteranceCommand?
    /// Nil for one source, whose results are in order.
    private var merger: SegmentMerger?

    init(sourceCount: Int, output: ListenOutput, sender: UtteranceSender?, command: UtteranceCommand?) {
        (self.output, self.sender, self.command) = (output, sender, command)
        merger = sourceCount > 1 ? SegmentMerger(channelCount: sourceCount) : nil
    }

    /// Adds the progress of a source, and writes what is due.
    ///
    /// - Parameter time: the time up to which the source is final, in seconds.
    func add(_ segment: TranscribedSegment?, source: Int, through time: Double) {
        for segment in merger?.add(segment, channel: source, through: time) ?? [segment].compactMap({ $0 }) {
            pass(segment)
        }
    }

    /// Whether what was said before can be taken back.
    nonisolated var takesBack: Bool { sender?.types ?? false }
    /// Whether guesses are passed on.
    nonisolated var takesGuesses: Bool { sender?.takesGuesses ?? false }

    /// Passes on a guess.
    func add(guess: String) { sender?.add(.guess(guess), id: UUID.timeOrdered()) }

    private func pass(_ segment: TranscribedSegment) {
        let lines = segment.lines
        let id = UUID.timeOrdered()
        if takesBack, segment.takesBack {
            sender?.add(.takeBack, id: id)
            return
        }
        let isBlank = lines.allSatisfy(\.isWhitespace)
        let capture = CapturedText(text: lines, capturedAt: segment.spokenAt ?? Date())
        var labelled = capture
        if segment.speaker != nil { labelled.text = String(TextFormatter().segment(segment).dropLast()) }
        if takesBack ? !lines.isEmpty : !isBlank { sender?.add(.text(labelled), id: id) }
        output.write(.final(segment))
        if !lines.isEmpty { command?.add(capture, id: id, speaker: segment.speaker) }
    }

    /// Waits until everything has been passed on. The user's command comes last, for it may take any time.
    func finish() async {
        await sender?.finish()
        await command?.finish()
    }
}
