/// What has come of the recordings of a run, as a sentence: `22 done, 2 of them empty; 1 failed`. Pure.
struct RunSummary: Equatable {
    /// How many were transcribed to their ends.
    var done = 0
    /// How many of these hold no speech.
    var empty = 0
    /// How many had transcripts already.
    var skipped = 0
    /// How many of these have changed since.
    var changed = 0
    var failed = 0
    /// How many were not read to their ends, because a signal or an error of all recordings ended the run.
    var cutOff = 0
    /// How many were not begun.
    var left = 0

    /// What was left out, as a sentence.
    var skippedSentence: String {
        "\(skipped) left out, for \(skipped == 1 ? "it was" : "they were") done already"
            + (changed == 0 ? "" : ", but \(changed) changed since: to do that again, remove the old transcript")
    }

    var sentence: String {
        [
            "\(done) done" + (empty > 0 ? ", \(empty) of them empty" : ""),
            skipped > 0 ? skippedSentence : nil,
            failed > 0 ? "\(failed) failed" : nil, cutOff > 0 ? "\(cutOff) cut off" : nil,
            left > 0 ? "\(left) not begun" : nil,
        ].compactMap { $0 }.joined(separator: "; ")
    }
}
