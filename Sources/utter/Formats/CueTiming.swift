/// Gives cues times that a viewer can follow: in order, without overlap, each long enough to be seen.
///
/// A cue's end depends on the next one's start, so one cue is held back.
struct CueTiming: Sendable {
    /// A cue with its times in milliseconds, multiples of 10.
    struct Timed: Equatable, Sendable {
        var text: String
        var start: Int
        var end: Int
        /// How long the cue is shown, in milliseconds, if the next one comes late enough.
        var wanted = CueTiming.readable
    }

    /// The shortest time that a cue is shown, in milliseconds, if the next one comes late enough.
    static let readable = 1000
    /// The shortest time that a cue is shown, in milliseconds, even if the next one has to wait, as when two people talk at once.
    static let visible = 100

    private var held: Timed?

    /// Adds the next cue.
    ///
    /// - Parameter reading: how long the text takes to be read, in seconds.
    /// - Returns: the cue before it with its final times; nil when this is the first.
    mutating func add(_ text: String, start: Double, end: Double, reading: Double = 0) -> Timed? {
        var next = Timed(text: text, start: Self.milliseconds(start), end: Self.milliseconds(end))
        next.wanted = max(Self.readable, Self.milliseconds(reading))
        var done = held
        if let cue = held {
            // A cue that another one overlaps keeps the time that it needs to be read, but no more than it was spoken for.
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

    /// Takes the last cue if no cue that begins at `start`, in seconds, or later can change it; otherwise nil.
    mutating func takeIfOver(before start: Double) -> Timed? {
        guard let cue = held, max(cue.end, cue.start + cue.wanted) <= Self.milliseconds(start) else { return nil }
        return finish(duration: start)
    }

    /// When the last cue begins, in milliseconds; nil when there is none.
    var heldStart: Int? { held?.start }

    /// Ends the recording, and returns the last cue; nil when there is none.
    mutating func finish(duration: Double) -> Timed? {
        defer { held = nil }
        guard var cue = held else { return nil }
        let last = max(Self.milliseconds(duration), cue.end, cue.start + Self.visible)
        cue.end = min(max(cue.end, cue.start + cue.wanted), last)
        return cue
    }

    static func milliseconds(_ seconds: Double) -> Int {
        let hundredths = seconds.isFinite ? (max(0, min(seconds, 1e12)) * 100).rounded() : 0
        return Int(hundredths) * 10
    }
}
