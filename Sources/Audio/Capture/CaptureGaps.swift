import Synchronization

/// A stretch of sound that the device lost before it could be read.
struct CaptureGap: Hashable, Sendable {
    /// Samples captured before it.
    var position: Int64
    /// The length of the gap, in samples.
    var length: Int64
}

/// The gaps in a capture: a queue from the capture thread to the reader in which neither waits for the other. A gap is
/// appended before the samples that follow it, so a reader that has those samples finds the gap here.
final class CaptureGaps: Sendable {
    /// The most gaps that the queue holds; a power of two.
    private let capacity = 64

    // Allocated in init, freed in deinit. A slot belongs to the producer until `appended` passes it, then to the
    // consumer until `removed` does.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<CaptureGap>
    private let appended = Atomic<Int>(0)
    private let removed = Atomic<Int>(0)

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: CaptureGap(position: 0, length: 0), count: capacity)
    }

    deinit { slots.deallocate() }

    /// Appends a gap; for the producer.
    ///
    /// - Returns: whether the queue had room.
    @_noLocks
    func append(position: Int64, length: Int64) -> Bool {
        let index = appended.load(ordering: .relaxed)
        guard index &- removed.load(ordering: .acquiring) < capacity else { return false }
        slots[index & (capacity - 1)] = CaptureGap(position: position, length: length)
        appended.store(index &+ 1, ordering: .releasing)
        return true
    }

    /// The first gap, which stays in the queue; for the consumer.
    var first: CaptureGap? {
        let index = removed.load(ordering: .relaxed)
        return index < appended.load(ordering: .acquiring) ? slots[index % capacity] : nil
    }

    /// Removes the first gap; for the consumer.
    func removeFirst() {
        removed.store(removed.load(ordering: .relaxed) + 1, ordering: .releasing)
    }
}
