/// How far the reading of an analyzer's input has come, and who waits for it: pure state. What its methods return has to be
/// resumed by the caller, after unlocking.
struct AnalysisProgress<Waiter: Sendable> {
    private var generation = 0
    private var isReading = false
    private var consumed: AudioTime?
    private var waiters: [(id: Int, time: AudioTime?, waiter: Waiter)] = []
    private var lastWaiterID = 0
    /// Waiters that were given up before they came to wait.
    private var cancelledEarly: Set<Int> = []
    /// What ended the input, if that was not its end.
    private(set) var failure: (any Error)?
    private(set) var isFinished = false

    /// A new sequence begins; one that was being read is out of date.
    mutating func beginReading() -> Int {
        generation += 1
        isReading = true
        return generation
    }

    /// Whether the sequence of this number is the one to read.
    func isCurrent(_ generation: Int) -> Bool { isReading && generation == self.generation }

    /// Input has been consumed up to `time`.
    mutating func consumed(through time: AudioTime) -> [Waiter] {
        consumed = max(consumed ?? time, time)
        return release { $0.map { $0 <= time } ?? false }
    }

    /// The sequence of this number has ended. Out of date, it has nothing to say.
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

    /// Lets `waiter` wait for input up to `time`, or for the end of the input when `nil`.
    ///
    /// - Returns: `false` when there is nothing to wait for.
    mutating func wait(_ waiter: Waiter, id: Int, through time: AudioTime?) -> Bool {
        if cancelledEarly.remove(id) != nil { return false }
        guard isReading else { return false }
        if let time, let consumed, consumed >= time { return false }
        waiters.append((id, time, waiter))
        return true
    }

    mutating func nextWaiterID() -> Int {
        lastWaiterID += 1
        return lastWaiterID
    }

    mutating func forgetWaiter(id: Int) { cancelledEarly.remove(id) }

    /// Someone does not want to wait any more.
    mutating func cancelWaiter(id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else {
            cancelledEarly.insert(id)
            return nil
        }
        return waiters.remove(at: index).waiter
    }

    mutating func finish() { isFinished = true }

    private mutating func release(_ isDue: (AudioTime?) -> Bool) -> [Waiter] {
        let due = waiters.filter { isDue($0.time) }
        waiters.removeAll { isDue($0.time) }
        return due.map(\.waiter)
    }
}
