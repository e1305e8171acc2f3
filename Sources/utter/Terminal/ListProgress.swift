/// The progress of a list of files as a line of text: `111 of 300 (37%), 4:10 left`. Pure: the caller passes the time.
///
/// The duration of all files is known only when every file has been opened. Until then, each other file counts with the average of
/// those that have been opened.
struct ListProgress: Sendable {
    private struct Work: Sendable {
        /// The sound that is done, in seconds.
        var done = 0.0
        /// The duration of the file, in seconds; nil while it is unknown.
        var total: Double?
        var isFinished = false

        /// Whether the file counts with the average duration.
        var isUnknown: Bool { !isFinished && total == nil }
    }

    /// The files, in the order of the list.
    private var works: [Work]
    /// The sums over `works`, kept up to date because the list may be long.
    private var finishedCount = 0
    private var done = 0.0
    private var known = (count: 0, seconds: 0.0)
    private var unknownCount: Int
    /// The time, in seconds, at which the first sound was done, and how much it was.
    private var start: (time: Double, done: Double)?
    private var now = 0.0
    /// The file that was worked on last.
    private var name = ""

    /// Creates the progress of a list.
    ///
    /// - Parameter count: the number of files.
    init(count: Int) {
        works = [Work](repeating: Work(), count: count)
        unknownCount = count
    }

    /// Records the progress of a file.
    ///
    /// - Parameters:
    ///   - index: the file's index in the list.
    ///   - line: the file's progress.
    ///   - now: the time, in seconds, of a clock that never goes back.
    mutating func update(_ index: Int, _ line: ProgressLine, now: Double) {
        name = line.fileName
        change(index) { work in
            work.done = line.done
            work.total = line.total.map { max($0, line.done) }
        }
        advance(to: now)
    }

    /// Records that a file is finished, whether or not it succeeded.
    mutating func finish(_ index: Int, now: Double) {
        change(index) { work in
            work.isFinished = true
            // A file that was skipped or could not be opened does not count for the average.
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

    /// The estimated duration of all files, in seconds; nil when that of no file is known.
    private var total: Double? {
        guard known.count > 0 else { return nil }
        return known.seconds + known.seconds / Double(known.count) * Double(unknownCount)
    }

    /// The speed, in seconds of sound a second; nil until it can be measured.
    private var speed: Double? {
        guard let start, now - start.time > 0.5, done > start.done else { return nil }
        return (done - start.done) / (now - start.time)
    }

    /// The line, in at most `width` columns. If it does not fit, the speed and the name are left out first.
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
