/// The rule by which a line at the bottom of the terminal is drawn over and taken away. Pure: it returns what to write,
/// and is told the time.
///
/// The line is drawn on stderr, and only when that is a terminal. Before anything else is written to the same terminal,
/// what `erase()` returns is written; the next `draw` puts the line back.
struct LiveLine: Sendable {
    /// Seconds from `start` before the line first appears: what is quick needs no progress.
    var patience = 0.5
    /// Seconds between two drawings.
    var interval = 0.1

    private let start: Double
    private var lastDrawn: Double?
    private var shown: String?

    /// - Parameter start: When the work began, in seconds of some clock that only goes forward.
    init(start: Double) {
        self.start = start
    }

    /// What to write to show `line`; nil when it is too early, or there is nothing new.
    /// - Parameters:
    ///   - line: Narrower than the terminal, so that it can't wrap: give `ProgressLine` three columns less.
    ///   - now: On the clock of `start`.
    ///   - atOnce: Whether it is too important to wait for the interval.
    mutating func draw(_ line: String, now: Double, atOnce: Bool = false) -> String? {
        guard now - start >= patience, line != shown else { return nil }
        if !atOnce, let lastDrawn, now - lastDrawn < interval { return nil }
        lastDrawn = now
        shown = line
        // The old line goes after the new one is written over it: nothing flickers.
        return "\r\(line)\u{1B}[K"
    }

    /// What to write so that the line is gone and the cursor at its beginning; empty when nothing is shown.
    mutating func erase() -> String {
        guard shown != nil else { return "" }
        shown = nil
        return "\r\u{1B}[K"
    }
}
