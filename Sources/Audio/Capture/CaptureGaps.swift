import Synchronization

/// A stretch that the device lost before anyone could read it.
struct CaptureGap: Hashable, Sendable {
    /// Samples captured before it.
    var position: Int64
    /// How long it is, in samples.
    var length: Int64
}

/// The gaps in a capture, from the capture thread to the reader: a queue between two threads of which neither waits. A gap goes in before
/// the samples behind it, so that who has those finds it here.
final class CaptureGaps: Sendable {
    /// A power of two.
    private let capacity = 64

    // Allocated in init, freed in deinit. A slot belongs to the producer until `appended` says otherwise, then to the consumer until
    // `removed` does.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<CaptureGap>
    private let appended = Atomic<Int>(0)
    private let removed = Atomic<Int>(0)

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: CaptureGap(position: 0, length: 0), count: capacity)
    }

    deinit { slots.deallocate() }

    /// The producer's side.
    ///
    /// - Returns: whether there was room.
    @_noLocks
    func append(position: Int64, length: Int64) -> Bool {
        let index = appended.load(ordering: .relaxed)
        guard index &- removed.load(ordering: .acquiring) < capacity else { return false }
        slots[index & (capacity - 1)] = CaptureGap(position: position, length: length)
        appended.store(index &+ 1, ordering: .releasing)
        return true
    }

    /// The consumer's side: the first gap, which stays.
    var first: CaptureGap? {
        let index = removed.load(ordering: .relaxed)
        return index < appended.load(ordering: .acquiring) ? slots[index % capacity] : nil
    }

    func removeFirst() {
        removed.store(removed.load(ordering: .relaxed) + 1, ordering: .releasing)
    }
}
