/// A line at the bottom of the terminal that is redrawn and erased. Pure: it returns the text to write, and the caller passes the
/// time.
///
/// The line is drawn on the standard error, and only when that is a terminal. Before anything else is written to the same terminal,
/// the caller writes what `erase()` returns; the next `draw` shows the line again.
struct LiveLine: Sendable {
    /// The time, in seconds, before the line appears: quick work needs no progress.
    private var patience: Double
    /// The shortest time between two drawings, in seconds.
    private static let interval = 0.1

    private var lastDrawn: Double?
    private var shown: String?

    init(patience: Double) { self.patience = patience }

    /// The text to write to show `line`; nil when it is too early, or the line is shown already.
    ///
    /// - Parameters:
    ///   - line: the line, at least three columns narrower than the terminal, so that it can't wrap.
    ///   - now: the time since the work began, in seconds.
    ///   - atOnce: whether not to wait for the time between two drawings.
    mutating func draw(_ line: String, now: Double, atOnce: Bool = false) -> String? {
        guard now >= patience, line != shown else { return nil }
        if !atOnce, let lastDrawn, now - lastDrawn < Self.interval { return nil }
        lastDrawn = now
        shown = line
        // The rest of the old line is cleared after the new one is written over it, so nothing flickers.
        return "\r\(line)\u{1B}[K"
    }

    /// The text to write to clear the line and put the cursor at its beginning; empty when nothing is shown. The line does not
    /// appear again before a time.
    mutating func erase(until time: Double = 0) -> String {
        patience = max(patience, time)
        guard shown != nil else { return "" }
        shown = nil
        return "\r\u{1B}[K"
    }
}
