import Foundation

/// Decides which operation is tried when. Pure, without clock, disk or tasks: the drainer reports every event to it and
/// makes the attempts that it asks for.
///
/// Times are durations on a clock that only goes forward.
struct DrainMachine {
    static let maximumInFlight = 3

    /// The result of an attempt, or of reading the file before it.
    enum Result: Hashable {
        /// The operation was delivered and removed, or its file no longer exists.
        case gone
        /// The operation is tried again at the given time or, if `isNetwork`, when the network comes back before that.
        case wait(until: Duration, isNetwork: Bool)
        /// The operation is not tried again before its file changes.
        case held
    }

    struct Attempt: Hashable {
        var id: UUID
        /// Whether to ignore the time in the file, because the network has come back.
        var isAtOnce: Bool
    }

    private enum Phase: Hashable {
        case ready(isAtOnce: Bool)
        case inFlight(changedMeanwhile: Bool)
        /// `alarms` may hold several alarms for one operation; only those at this time are valid.
        case waiting(until: Duration, isNetwork: Bool)
        case held
    }

    private struct Alarm: Comparable {
        var time: Duration
        var entry: OutboxIndex.Entry

        static func < (one: Alarm, other: Alarm) -> Bool { one.time < other.time }
    }

    private struct Known {
        var phase: Phase
        var time: Int64
    }

    private var known: [UUID: Known] = [:]
    private var ready = Heap<OutboxIndex.Entry>()
    private var alarms = Heap<Alarm>()
    private(set) var inFlightCount = 0
    private(set) var heldCount = 0

    init(_ entries: [OutboxIndex.Entry] = []) {
        known.reserveCapacity(entries.count)
        for entry in entries { changed(entry) }
    }

    /// The number of operations in the queue, in whatever phase.
    var count: Int { known.count }

    /// Handles a file that appeared or was rewritten.
    mutating func changed(_ entry: OutboxIndex.Entry) {
        switch known[entry.id]?.phase {
        case .ready: return
        case .inFlight: known[entry.id]?.phase = .inFlight(changedMeanwhile: true)
        case .held:
            heldCount -= 1
            makeReady(entry)
        case .waiting, nil: makeReady(entry)
        }
    }

    /// Makes every operation ready whose receiver could not be reached, because the network has come back.
    mutating func networkCameBack() {
        for (id, known) in known {
            guard case .waiting(_, isNetwork: true) = known.phase else { continue }
            makeReady(OutboxIndex.Entry(id: id, time: known.time), isAtOnce: true)
        }
    }

    /// Takes the oldest operation that may be tried now; nil when there is none or the most are in flight already.
    ///
    /// The operation is in flight until the caller passes its result to `finished(_:_:)`.
    mutating func next(at now: Duration) -> Attempt? {
        wake(at: now)
        guard inFlightCount < Self.maximumInFlight, let entry = ready.popMin() else { return nil }
        guard case .ready(let isAtOnce) = known[entry.id]?.phase else { preconditionFailure("ready and not ready") }
        known[entry.id]?.phase = .inFlight(changedMeanwhile: false)
        inFlightCount += 1
        return Attempt(id: entry.id, isAtOnce: isAtOnce)
    }

    /// Handles the result of an attempt.
    mutating func finished(_ id: UUID, _ result: Result) {
        guard let time = known[id]?.time, case .inFlight(let changedMeanwhile) = known[id]?.phase else {
            preconditionFailure("finished and not in flight")
        }
        inFlightCount -= 1
        let entry = OutboxIndex.Entry(id: id, time: time)
        switch result {
        case .gone where !changedMeanwhile:
            known[id] = nil
        // The file was rewritten since it was read, so it is read again.
        case _ where changedMeanwhile: makeReady(entry)
        case .wait(let time, let isNetwork):
            known[id]?.phase = .waiting(until: time, isNetwork: isNetwork)
            alarms.insert(Alarm(time: time, entry: entry))
        default:
            heldCount += 1
            known[id]?.phase = .held
        }
    }

    /// When the next waiting operation becomes ready; nil when none waits.
    mutating func wakeTime() -> Duration? {
        while let first = alarms.min, !isCurrent(first) { _ = alarms.popMin() }
        return alarms.min?.time
    }

    private mutating func wake(at now: Duration) {
        while let first = alarms.min, first.time <= now || !isCurrent(first) {
            _ = alarms.popMin()
            if isCurrent(first) { makeReady(first.entry) }
        }
    }

    private func isCurrent(_ alarm: Alarm) -> Bool {
        if case .waiting(alarm.time, _) = known[alarm.entry.id]?.phase { true } else { false }
    }

    private mutating func makeReady(_ entry: OutboxIndex.Entry, isAtOnce: Bool = false) {
        known[entry.id] = Known(phase: .ready(isAtOnce: isAtOnce), time: entry.time)
        ready.insert(entry)
    }
}

/// A binary heap whose smallest element is first.
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
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child] < elements[smallest] {
                smallest = child
            }
            if smallest == index { return first }
            elements.swapAt(index, smallest)
            index = smallest
        }
    }
}
