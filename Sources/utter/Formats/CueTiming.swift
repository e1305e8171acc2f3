/// Gives cues times that a viewer can follow: in order, never overlapping, each long enough to be seen.
///
/// A cue's end depends on the next one's start, so one cue is held back.
struct CueTiming: Sendable {
    /// A cue with its times in milliseconds, multiples of 10.
    struct Timed: Equatable, Sendable {
        var text: String
        var start: Int
        var end: Int
        /// How long it is shown when the next one leaves it the time.
        var wanted = CueTiming.readable
    }

    /// A cue stays at least this long when the next one leaves it the time.
    static let readable = 1000
    /// And this long even when the next one doesn't, as when two people talk at once: then the next one comes later.
    static let visible = 100

    private var held: Timed?

    /// - Parameters:
    ///   - start: in seconds, as the others.
    ///   - reading: how long the text takes to be read.
    /// - Returns: The cue before, if there is one.
    mutating func add(_ text: String, start: Double, end: Double, reading: Double = 0) -> Timed? {
        var next = Timed(text: text, start: Self.milliseconds(start), end: Self.milliseconds(end))
        next.wanted = max(Self.readable, Self.milliseconds(reading))
        var done = held
        if let cue = held {
            // A cue that another one talks into keeps what it needs to be read, as far as it was said that long.
            let needed = max(Self.visible, min(Self.readable, cue.end - cue.start))
            let wanted = max(cue.end, cue.start + cue.wanted)
            let end = max(min(wanted, next.start), cue.start + needed)
            done?.end = end
            next.start = max(next.start, end)
            next.end = max(next.end, next.start)
        }
        held = next
        return done
    }

    /// The last cue, if one that begins at `start` in seconds, or later, can't change it any more.
    mutating func takeIfOver(before start: Double) -> Timed? {
        guard let cue = held, max(cue.end, cue.start + cue.wanted) <= Self.milliseconds(start) else { return nil }
        return finish(duration: start)
    }

    /// When the last cue begins, in milliseconds; nil when there is none.
    var heldStart: Int? { held?.start }

    /// - Parameter duration: Of the recording, in seconds.
    /// - Returns: The last cue.
    mutating func finish(duration: Double) -> Timed? {
        defer { held = nil }
        guard var cue = held else { return nil }
        let last = max(Self.milliseconds(duration), cue.end, cue.start + Self.visible)
        cue.end = min(max(cue.end, cue.start + cue.wanted), last)
        return cue
    }

    private static func milliseconds(_ seconds: Double) -> Int {
        let hundredths = seconds.isFinite ? (max(0, min(seconds, 1e12)) * 100).rounded() : 0
        return Int(hundredths) * 10
    }
}
