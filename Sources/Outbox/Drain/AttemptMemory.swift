import Foundation

/// What a drainer knows of its attempts beside what stands in the files. Pure.
struct AttemptMemory {
    /// What the disk did not take a note of.
    struct Unwritten: Hashable {
        /// That have failed.
        var attempts: Int
        var mayHaveArrived: Bool
    }

    /// When those that have failed are tried again, and the time in their file, by the wall's clock, that this stands for.
    private var schedule: [UUID: (until: Duration, date: Date)] = [:]
    private var unwritten: [UUID: Unwritten] = [:]

    mutating func scheduled(_ id: UUID, until: Duration, date: Date) { schedule[id] = (until, date) }

    /// - Returns: nil when nothing is known here, or its file says something else than what was written.
    func scheduledTime(of operation: OutboxOperation) -> Duration? {
        guard let (until, date) = schedule[operation.id], let next = operation.nextEligibleAt,
            abs(next.timeIntervalSince(date)) < 1e-3
        else { return nil }
        return until
    }

    func unwritten(_ id: UUID) -> Unwritten? { unwritten[id] }

    /// One more attempt that its file says nothing of.
    ///
    /// - Returns: how many there are.
    mutating func countUnwritten(_ id: UUID, mayHaveArrived: Bool) -> Int {
        let attempts = (unwritten[id]?.attempts ?? 0) + 1
        unwritten[id] = Unwritten(attempts: attempts, mayHaveArrived: mayHaveArrived)
        return attempts
    }

    /// The file says it by now.
    mutating func written(_ id: UUID) { unwritten[id] = nil }

    /// It is not in the queue any more.
    mutating func forget(_ id: UUID) {
        schedule[id] = nil
        unwritten[id] = nil
    }
}
