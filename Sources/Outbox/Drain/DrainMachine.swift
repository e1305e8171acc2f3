import Foundation

/// Which operation is tried when. Pure: no clock, no disk, no tasks; the holder tells what happens and does what it says.
///
/// Times are durations on a clock that only goes forward.
struct DrainMachine {
    static let maximumInFlight = 3

    /// What has come of an attempt, or of the look at the file before it.
    enum Result: Hashable {
        /// Delivered and removed, or not there any more.
        case gone
        /// To be tried again, not sooner than the given time, or when the network comes back.
        case wait(until: Duration, isNetwork: Bool)
        /// Not before somebody changes its file.
        case held
    }

    struct Attempt: Hashable {
        var id: UUID
        /// The time in the file doesn't count: the network has come back.
        var isAtOnce: Bool
    }

    private enum Phase: Hashable {
        case ready(isAtOnce: Bool)
        case inFlight(changedMeanwhile: Bool)
        /// Several entries of the heap may speak of one operation; the one with this number counts.
        case waiting(number: Int, isNetwork: Bool)
        case held
    }

    private struct Alarm: Comparable {
        var time: Duration
        var number: Int
        var entry: OutboxIndex.Entry

        static func < (one: Alarm, other: Alarm) -> Bool { (one.time, one.number) < (other.time, other.number) }
    }

    private struct Known {
        var phase: Phase
        var time: Int64
    }

    private var known: [UUID: Known] = [:]
    private var ready = Heap<OutboxIndex.Entry>()
    private var alarms = Heap<Alarm>()
    private var lastNumber = 0
    private(set) var inFlightCount = 0
    private(set) var heldCount = 0
    private(set) var waitingCount = 0

    init(_ entries: [OutboxIndex.Entry] = []) {
        known.reserveCapacity(entries.count)
        for entry in entries { changed(entry) }
    }

    /// All that are not known to be gone.
    var count: Int { known.count }
    var readyCount: Int { known.count - inFlightCount - heldCount - waitingCount }

    /// A file has come, or was written anew by somebody.
    mutating func changed(_ entry: OutboxIndex.Entry) {
        switch known[entry.id]?.phase {
        case .ready: return
        case .inFlight: known[entry.id]?.phase = .inFlight(changedMeanwhile: true)
        case .waiting:
            waitingCount -= 1
            makeReady(entry)
        case .held:
            heldCount -= 1
            makeReady(entry)
        case nil: makeReady(entry)
        }
    }

    /// The network is back: what couldn't reach its receiver is tried at once.
    mutating func networkCameBack() {
        for (id, known) in known {
            guard case .waiting(_, isNetwork: true) = known.phase else { continue }
            waitingCount -= 1
            makeReady(OutboxIndex.Entry(id: id, time: known.time), isAtOnce: true)
        }
    }

    /// The oldest that may be tried now. It is in flight from then on, until `finished` is called.
    mutating func next(at now: Duration) -> Attempt? {
        wake(at: now)
        guard inFlightCount < Self.maximumInFlight, let entry = ready.popMin() else { return nil }
        guard case .ready(let isAtOnce) = known[entry.id]?.phase else { preconditionFailure("ready and not ready") }
        known[entry.id]?.phase = .inFlight(changedMeanwhile: false)
        inFlightCount += 1
        return Attempt(id: entry.id, isAtOnce: isAtOnce)
    }

    mutating func finished(_ id: UUID, _ result: Result) {
        guard let time = known[id]?.time, case .inFlight(let changedMeanwhile) = known[id]?.phase else {
            preconditionFailure("finished and not in flight")
        }
        inFlightCount -= 1
        let entry = OutboxIndex.Entry(id: id, time: time)
        switch result {
        case .gone where !changedMeanwhile:
            known[id] = nil
        // Somebody has written the file since it was read: what it says now counts.
        case _ where changedMeanwhile: makeReady(entry)
        case .wait(let time, let isNetwork):
            lastNumber += 1
            waitingCount += 1
            known[id]?.phase = .waiting(number: lastNumber, isNetwork: isNetwork)
            alarms.insert(Alarm(time: time, number: lastNumber, entry: entry))
        default:
            heldCount += 1
            known[id]?.phase = .held
        }
    }

    /// When something becomes ready by itself; nil when nothing waits.
    mutating func wakeTime() -> Duration? {
        while let first = alarms.min, !isCurrent(first) { _ = alarms.popMin() }
        return alarms.min?.time
    }

    private mutating func wake(at now: Duration) {
        while let first = alarms.min, first.time <= now || !isCurrent(first) {
            _ = alarms.popMin()
            if isCurrent(first) {
                waitingCount -= 1
                makeReady(first.entry)
            }
        }
    }

    private func isCurrent(_ alarm: Alarm) -> Bool {
        if case .waiting(alarm.number, _) = known[alarm.entry.id]?.phase { true } else { false }
    }

    private mutating func makeReady(_ entry: OutboxIndex.Entry, isAtOnce: Bool = false) {
        known[entry.id] = Known(phase: .ready(isAtOnce: isAtOnce), time: entry.time)
        ready.insert(entry)
    }
}

/// A binary heap.
struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    var min: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popMin() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < elements.count && elements[child] < elements[smallest] {
                smallest = child
            }
            if smallest == index { return first }
            elements.swapAt(index, smallest)
            index = smallest
        }
    }
}
