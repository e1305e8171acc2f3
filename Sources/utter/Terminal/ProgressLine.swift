import System

/// The progress of a file as a line of text.
struct ProgressLine: Equatable, Sendable {
    /// The file as the user named it. Untrusted.
    var fileName: String
    /// The sound that is done, in seconds.
    var done: Double
    /// The duration of the file, in seconds; nil when it is unknown, as with a pipe.
    var total: Double?
    /// The speed, in seconds of sound a second; nil until it can be measured.
    var speed: Double?

    /// The time left at this speed, in seconds; nil when it is unknown.
    var timeLeft: Double? {
        guard let total, let speed, speed > 0 else { return nil }
        return max(0, total - done) / speed
    }

    /// The line, in at most `width` columns. The name is shortened in its middle first; then the speed, the total and the time left
    /// are left out, in this order.
    func text(width: Int) -> String {
        for parts in [
            [position, speedText, leftText], [position, leftText], [shortPosition, leftText], [shortPosition],
        ] {
            let facts = parts.compactMap { $0 }.joined(separator: "  ")
            if let line = Self.line(fileName, facts, width: width) { return line }
        }
        return String(prefix(of: shortPosition, fitting: max(0, width)))
    }

    /// A line with an untrusted name, shortened if necessary, and facts; nil when too little of the name would be left.
    static func line(_ name: String, _ facts: String, width: Int) -> String? {
        let name = TerminalText.visible(name)
        let room = width - displayWidth(facts) - 2
        return room >= min(displayWidth(name), shortestName) ? shorten(name, to: room) + "  " + facts : nil
    }

    private static let shortestName = 12

    private var position: String {
        guard let total else { return Self.clock(done) }
        return "\(Self.clock(min(done, total))) of \(Self.clock(total)) (\(percent(of: total)))"
    }

    private var shortPosition: String { total.map(percent) ?? Self.clock(done) }

    private var speedText: String? { speed.map(Self.speedText) }

    /// A speed as text: `4.2× real time`.
    static func speedText(_ speed: Double) -> String {
        "\(Decimals.fixed(speed, decimals: speed < 9.95 ? 1 : 0))× real time"
    }

    private var leftText: String? { timeLeft.map { "\(Self.clock($0.rounded(.up))) left" } }

    /// The share that is done, rounded down, so that only a complete file is 100 %.
    private func percent(of total: Double) -> String {
        guard total > 0 else { return "100%" }
        return "\(Int(max(0, min(1, done / total)) * 100))%"
    }

    /// A time in seconds as text: `4:07`, `1:04:07`.
    ///
    /// - Parameter showsHours: whether to show the hours also where there is none yet: `0:04:07`.
    static func clock(_ seconds: Double, showsHours: Bool = false) -> String {
        let whole = seconds.isFinite ? Int(max(0, min(seconds, 1e9))) : 0
        let short = (whole % 60).digits(2)
        return whole < 3600 && !showsHours
            ? "\(whole / 60):\(short)" : "\(whole / 3600):\((whole / 60 % 60).digits(2)):\(short)"
    }

    /// A name shortened in the middle, where names differ least: `recordin….wav`.
    private static func shorten(_ name: String, to width: Int) -> String {
        if displayWidth(name) <= width { return name }
        if width <= 1 { return String(prefix(of: name, fitting: width)) }
        let end = suffix(of: name, fitting: (width - 1) / 2)
        return prefix(of: name, fitting: width - 1 - displayWidth(end)) + "…" + end
    }
}
