import Glibc

/// Collects a program's standard output and standard error until the program ends or is to be stopped.
package struct ProgramOutput {
    /// Why reading stopped.
    package enum Stop: Hashable {
        case ended
        case stopped
        /// The time is over.
        case late
    }

    /// The most bytes that are kept of each pipe.
    package static let maximumReceived = 1 << 16

    private var reads: [(pipe: Pipe, limit: Int)?]
    private var stops: [(pipe: Pipe, meaning: Stop)]
    /// The first 64 KiB from each pipe.
    private(set) var received: [[UInt8]]
    /// Whether each pipe reached its limit and was closed.
    private(set) var isCut: [Bool]

    /// Prepares to read from pipes.
    ///
    /// - Parameters:
    ///   - pipes: each pipe with the number of bytes after which it is closed.
    ///   - stops: the pipes whose closing ends reading, each with its meaning.
    package init(of pipes: [(Pipe, limit: Int)], stops: [(Pipe, Stop)]) {
        reads = pipes
        self.stops = stops
        received = pipes.map { _ in [] }
        isCut = pipes.map { _ in false }
        for (pipe, _) in pipes { _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK) }
    }

    package mutating func ignore(_ pipe: Pipe) { stops.removeAll { $0.pipe === pipe } }

    /// Reads until a stop comes, and then what was written before it. Does not wait for other processes that hold the pipes open.
    ///
    /// - Parameter limit: when to stop at the latest, as a time of `BootClock`.
    package mutating func run(until limit: Duration?) -> Stop {
        while true {
            let remaining = limit.map { max(.zero, $0 - BootClock.now) }
            let milliseconds = remaining.map {
                Int32(min($0.components.seconds, 60) * 1000 + $0.components.attoseconds / 1_000_000_000_000_000) + 1
            }
            var waits = stops.map { pollfd(fd: $0.pipe.reading, events: Int16(POLLIN), revents: 0) }
            waits += reads.compactMap { $0?.pipe }.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
            let count = poll(&waits, nfds_t(waits.count), milliseconds ?? -1)
            if count < 0, errno != EINTR { return .late }
            for index in reads.indices { read(index) }
            if let stop = zip(stops, waits).first(where: { $1.revents != 0 }) {
                for index in reads.indices { read(index) }
                return stop.0.meaning
            }
            if let limit, BootClock.now >= limit { return .late }
        }
    }

    private mutating func read(_ index: Int) {
        guard let pipe = reads[index]?.pipe else { return }
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { buffer in
            // A program may write faster than this reads, so the loop has an end.
            for _ in 0..<64 {
                let count = Glibc.read(pipe.reading, buffer.baseAddress!, buffer.count)
                if count > 0 {
                    let room = Self.maximumReceived - received[index].count
                    received[index] += buffer[..<min(count, room)]
                    reads[index]?.limit -= count
                    isCut[index] = reads[index].map { $0.limit <= 0 } ?? false
                    if isCut[index] {
                        pipe.closeReading()
                        reads[index] = nil
                        return
                    }
                } else {
                    // A pipe at its end stays readable for ever, so it is not polled any more.
                    if count == 0 { reads[index] = nil }
                    return
                }
            }
        }
    }
}
