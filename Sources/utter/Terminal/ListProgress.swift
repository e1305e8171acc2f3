/// The progress of a list of files as a line of text: `111 of 300 (37%), 4:10 left`. Pure: the caller passes the time.
///
/// The time that is left is that of the sound that is left, at the speed so far. The duration of a file that has not been read yet is
/// estimated by its size.
struct ListProgress: Sendable {
    private struct Work: Sendable {
        var size: InputSize
        /// The sound that is done, in seconds.
        var done = 0.0
        var isFinished = false
    }

    /// The time and the sound, in seconds, from which on the speed is believed.
    private static let shortestMeasurement = (time: 2.0, sound: 30.0)

    /// The files, in the order of the list.
    private var works: [Work]
    /// What the bytes of the finished files of unknown duration have turned out to last, by the kind of file.
    private var measured: [String: (bytes: Double, seconds: Double)] = [:]
    /// The least that a byte of such files lasts, in seconds, by what is done of unfinished ones.
    private var least: [String: Double] = [:]
    /// The time, in seconds, at which the first file was read.
    private var start: Double?
    private var now = 0.0
    /// The file that was worked on last.
    private var name = ""

    init(_ sizes: [InputSize]) { works = sizes.map { Work(size: $0) } }

    mutating func update(_ index: Int, _ line: ProgressLine, now: Double) {
        name = line.fileName
        start = start ?? now
        works[index].done = line.done
        works[index].size.seconds = line.total ?? works[index].size.seconds
        let size = works[index].size
        if size.seconds == nil, let bytes = size.bytes, bytes > 0 {
            least[size.kind] = max(least[size.kind] ?? 0, line.done / bytes)
        }
        self.now = now
    }

    /// Records that a file is finished.
    ///
    /// - Parameter isWhole: whether all of it is done; otherwise it does not say how long such files are.
    mutating func finish(_ index: Int, isWhole: Bool = true, now: Double) {
        works[index].isFinished = true
        let work = works[index]
        if isWhole, let bytes = work.size.bytes, work.size.seconds == nil, work.done > 0 {
            measured[work.size.kind, default: (0, 0)].bytes += bytes
            measured[work.size.kind, default: (0, 0)].seconds += work.done
        }
        self.now = now
    }

    /// The estimated duration of a file that is not finished, in seconds; nil when its size is not known either.
    private func duration(of work: Work) -> Double? {
        if let seconds = work.size.seconds { return max(seconds, work.done) }
        guard let bytes = work.size.bytes else { return nil }
        if let known = measured[work.size.kind] { return max(work.done, bytes * known.seconds / known.bytes) }
        return bytes * max(1 / InputSize.usualBytesASecond, least[work.size.kind] ?? 0)
    }

    /// The sound that is left, in seconds; nil when a file is left whose duration can't be estimated.
    private var secondsLeft: Double? {
        var sum = 0.0
        for work in works where !work.isFinished {
            guard let duration = duration(of: work) else { return nil }
            sum += duration - work.done
        }
        return sum
    }

    /// The speed, in seconds of sound a second; nil until it can be measured.
    private func speed(_ done: Double) -> Double? {
        guard let start, now - start >= Self.shortestMeasurement.time, done >= Self.shortestMeasurement.sound else {
            return nil
        }
        return done / (now - start)
    }

    /// The line, in at most `width` columns. If it does not fit, the speed and the name are left out first.
    func text(width: Int) -> String {
        let secondsLeft = secondsLeft
        let done = works.reduce(0) { $0 + $1.done }
        let speed = speed(done)
        let count = "\(works.count(where: \.isFinished)) of \(works.count)"
        let percent =
            secondsLeft.map { $0 + done > 0 ? " (\(Int(min(0.99, done / ($0 + done)) * 100))%)" : "" } ?? ""
        var left = ""
        if let secondsLeft, let speed { left = ", \(ProgressLine.clock((secondsLeft / speed).rounded(.up))) left" }
        let facts = count + percent + left
        let speedText = speed.map { "  " + ProgressLine.speedText($0) } ?? ""
        for line in [facts + speedText, facts, count + left] {
            if !name.isEmpty, let named = ProgressLine.line(name, line, width: width) { return named }
        }
        for line in [facts, count + left, count] where displayWidth(line) <= width { return line }
        return String(prefix(of: count, fitting: max(0, width)))
    }
}
