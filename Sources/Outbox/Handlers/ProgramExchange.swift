import Glibc
import Synchronization

/// A pipe whose ends are closed with it.
final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32
    private let isReadingOpen = Mutex(true)
    private let isWritingOpen = Mutex(true)

    init() {
        var ends: [Int32] = [-1, -1]
        // Without descriptors everything that is done with it fails, and the attempt with it.
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    func closeReading() { Self.close(reading, isReadingOpen) }
    func closeWriting() { Self.close(writing, isWritingOpen) }

    private static func close(_ descriptor: Int32, _ isOpen: borrowing Mutex<Bool>) {
        isOpen.withLock { isOpen in
            if isOpen, descriptor >= 0 { _ = Glibc.close(descriptor) }
            isOpen = false
        }
    }

    deinit {
        closeReading()
        closeWriting()
    }
}

/// Writes to a program and reads from it at the same time, so that neither waits for the other.
struct ProgramExchange {
    enum Stop: Hashable {
        case ended
        case stopped
        case late
    }

    static let maximumReceived = 1 << 16

    private var writes: [(pipe: Pipe, rest: ArraySlice<UInt8>)] = []
    private var reads: [Pipe?]
    private var stops: [(pipe: Pipe, meaning: Stop)]
    private(set) var received: [[UInt8]]

    init(writes: [(Pipe, [UInt8])], reads: [Pipe], stops: [(Pipe, Stop)]) {
        self.reads = reads
        self.stops = stops
        received = reads.map { _ in [] }
        for (pipe, bytes) in writes {
            _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
            if bytes.isEmpty { pipe.closeWriting() } else { self.writes.append((pipe, bytes[...])) }
        }
        for pipe in reads { _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK) }
    }

    /// Heeds this stop no longer.
    mutating func ignore(_ pipe: Pipe) { stops.removeAll { $0.pipe === pipe } }

    /// Exchanges until a stop comes. What was written until then is still read; whoever else may hold the pipes is not waited for.
    ///
    /// - Parameter limit: on the drainer's clock.
    mutating func run(until limit: Duration?) -> Stop {
        let clock = SystemDrainClock()
        while true {
            let remaining = limit.map { max(.zero, $0 - clock.now) }
            let milliseconds = remaining.map { Int32(min($0.components.seconds, 60) * 1000 + $0.components.attoseconds / 1_000_000_000_000_000) + 1 }
            var waits = stops.map { pollfd(fd: $0.pipe.reading, events: Int16(POLLIN), revents: 0) }
            waits += writes.map { pollfd(fd: $0.pipe.writing, events: Int16(POLLOUT), revents: 0) }
            waits += reads.compactMap { $0 }.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
            let count = poll(&waits, nfds_t(waits.count), milliseconds ?? -1)
            if count < 0, errno != EINTR { return .late }
            write()
            for index in reads.indices { read(index) }
            if let stop = zip(stops, waits).first(where: { $1.revents != 0 }) {
                for index in reads.indices { read(index) }
                return stop.0.meaning
            }
            if let limit, clock.now >= limit { return .late }
        }
    }

    private mutating func write() {
        for index in writes.indices.reversed() {
            let (pipe, rest) = writes[index]
            let count = rest.withUnsafeBytes { Glibc.write(pipe.writing, $0.baseAddress!, $0.count) }
            if count > 0 { writes[index].rest = rest.dropFirst(count) }
            let isBroken = count < 0 && errno != EAGAIN && errno != EINTR
            if isBroken || writes[index].rest.isEmpty {
                pipe.closeWriting()
                writes.remove(at: index)
            }
        }
    }

    private mutating func read(_ index: Int) {
        guard let pipe = reads[index] else { return }
        withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { buffer in
            // Not without end, for it may write faster than we read.
            for _ in 0..<64 {
                let count = Glibc.read(pipe.reading, buffer.baseAddress!, buffer.count)
                if count > 0 {
                    let room = Self.maximumReceived - received[index].count
                    received[index] += buffer[..<min(count, room)]
                } else {
                    // At its end it would be readable for ever.
                    if count == 0 { reads[index] = nil }
                    return
                }
            }
        }
    }
}
