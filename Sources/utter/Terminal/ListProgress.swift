/// How far a list of files is, in words that fit a line: `111 of 300 (37%), 4:10 left`. Pure: it is told the time.
///
/// How much sound there is in all is known only when every file has been opened. Until then a file that was not is taken for as long as
/// those that were are on average.
struct ListProgress: Sendable {
    private struct Work: Sendable {
        /// Seconds of sound that are done.
        var done = 0.0
        /// Seconds of sound that there are; nil while nobody knows.
        var total: Double?
        var isFinished = false

        /// Whether it is taken for as long as others are.
        var isUnknown: Bool { !isFinished && total == nil }
    }

    /// By the file's place in the list.
    private var works: [Work]
    /// Sums over `works`, which may be long.
    private var finishedCount = 0
    private var done = 0.0
    private var known = (count: 0, seconds: 0.0)
    private var unknownCount: Int
    /// When the first sound was done, in seconds of some clock, and how much it was.
    private var start: (time: Double, done: Double)?
    private var now = 0.0
    /// The file that was worked on last.
    private var name = ""

    /// - Parameter count: how many files there are.
    init(count: Int) {
        works = [Work](repeating: Work(), count: count)
        unknownCount = count
    }

    /// A file has come so far.
    ///
    /// - Parameters:
    ///   - now: in seconds of a clock that only goes forward.
    mutating func update(_ index: Int, _ line: ProgressLine, now: Double) {
        name = line.fileName
        change(index) { work in
            work.done = line.done
            work.total = line.total.map { max($0, line.done) }
        }
        advance(to: now)
    }

    /// A file is done with, well or not.
    mutating func finish(_ index: Int, now: Double) {
        change(index) { work in
            work.isFinished = true
            // What was left out, or could not be opened, says nothing about others.
            work.total = work.done > 0 ? work.done : nil
        }
        finishedCount += 1
        advance(to: now)
    }

    private mutating func change(_ index: Int, _ body: (inout Work) -> Void) {
        let old = works[index]
        body(&works[index])
        let new = works[index]
        done += new.done - old.done
        known.count += (new.total == nil ? 0 : 1) - (old.total == nil ? 0 : 1)
        unknownCount += (new.isUnknown ? 1 : 0) - (old.isUnknown ? 1 : 0)
        known.seconds += (new.total ?? 0) - (old.total ?? 0)
    }

    private mutating func advance(to now: Double) {
        self.now = now
        if start == nil, done > 0 { start = (now, done) }
    }

    /// Seconds of sound that there are in all, as far as one can tell; nil when nothing is known.
    private var total: Double? {
        guard known.count > 0 else { return nil }
        return known.seconds + known.seconds / Double(known.count) * Double(unknownCount)
    }

    /// Seconds of sound a second; nil until there is something to measure.
    private var speed: Double? {
        guard let start, now - start.time > 0.5, done > start.done else { return nil }
        return (done - start.done) / (now - start.time)
    }

    /// The line, in at most `width` columns. The speed and the name go first where there is no room.
    func text(width: Int) -> String {
        let total = total
        let count = "\(finishedCount) of \(works.count)"
        let percent = total.map { $0 > 0 ? " (\(Int(max(0, min(0.99, done / $0)) * 100))%)" : "" } ?? ""
        var left = ""
        if let total, let speed { left = ", \(ProgressLine.clock((max(0, total - done) / speed).rounded(.up))) left" }
        let facts = count + percent + left
        let speedText = speed.map { "  " + ProgressLine.speedText($0) } ?? ""
        for line in [facts + speedText, facts, count + left] {
            if !name.isEmpty, let named = ProgressLine.line(name, line, width: width) { return named }
        }
        for line in [facts, count + left, count] where displayWidth(line) <= width { return line }
        return String(prefix(of: count, fitting: max(0, width)))
    }
}
