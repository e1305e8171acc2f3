/// When speech may be decoded again for a guess while someone speaks: so often that this takes a share of the time.
struct GuessPace {
    private static let shortestInterval = Duration.milliseconds(400)

    /// The share of the time.
    let share: Double
    /// When the next decoding may begin.
    private(set) var next = Duration.zero
    /// The time of the fastest decoding of late.
    private var fastest: Duration?

    init(share: Double) { self.share = share }

    /// Handles the end of a decoding. What other programs hold up costs no more than on an idle machine.
    mutating func note(from begun: Duration, to now: Duration) {
        let time = min(now - begun, fastest.map { $0 * 11 / 10 } ?? .seconds(60))
        fastest = time
        next = begun + max(Self.shortestInterval, time / share)
    }
}
