/// How far the input of an analyzer has been read, and which tasks wait for it. It is pure state: the caller resumes
/// the returned waiters, after unlocking.
struct AnalysisProgress<Waiter: Sendable> {
    private var generation = 0
    private var isReading = false
    private var consumed: AudioTime?
    private var waiters: [(id: Int, time: AudioTime?, waiter: Waiter)] = []
    private var lastWaiterID = 0
    var waiterCount: Int { waiters.count }
    /// The error that ended the input, if one did.
    private(set) var failure: (any Error)?
    private(set) var isFinished = false

    /// Begins a new sequence, which replaces one that is being read, and returns its generation.
    mutating func beginReading() -> Int {
        generation += 1
        isReading = true
        return generation
    }

    /// Whether the sequence of this generation is the one that is being read.
    func isCurrent(_ generation: Int) -> Bool { isReading && generation == self.generation }

    /// Records that input was consumed up to `time`, and returns the waiters to resume.
    mutating func consumed(through time: AudioTime) -> [Waiter] {
        consumed = max(consumed ?? time, time)
        return release { $0.map { $0 <= time } ?? false }
    }

    /// Records that the sequence of this generation has ended, and returns the waiters to resume. Does nothing if
    /// another sequence has replaced it.
    mutating func endedReading(generation: Int, throwing error: (any Error)?) -> [Waiter] {
        guard isCurrent(generation) else { return [] }
        if let error, !(error is CancellationError) { failure = error }
        isReading = false
        return release { _ in true }
    }

    mutating func stopReading() -> [Waiter] {
        generation += 1
        isReading = false
        return release { _ in true }
    }

    /// Whether input up to `time`, or to its end if `time` is `nil`, may still come.
    func isAwaited(through time: AudioTime?) -> Bool {
        if let time, let consumed, consumed >= time { return false }
        return isReading
    }

    /// Adds `waiter`, which waits for input up to `time`, or for the end of the input if `time` is `nil`.
    ///
    /// - Returns: `false` if there is nothing to wait for.
    mutating func wait(_ waiter: Waiter, id: Int, through time: AudioTime?) -> Bool {
        guard isAwaited(through: time) else { return false }
        waiters.append((id, time, waiter))
        return true
    }

    mutating func nextWaiterID() -> Int {
        lastWaiterID += 1
        return lastWaiterID
    }

    /// Removes a waiter whose task was cancelled, and returns it to be resumed.
    mutating func cancelWaiter(id: Int) -> Waiter? {
        waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0).waiter }
    }

    mutating func finish() { isFinished = true }

    private mutating func release(_ isDue: (AudioTime?) -> Bool) -> [Waiter] {
        let due = waiters.filter { isDue($0.time) }
        waiters.removeAll { isDue($0.time) }
        return due.map(\.waiter)
    }
}
