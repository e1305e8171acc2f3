import Synchronization

/// A ring of samples between one producer, which may be a real-time thread, and one consumer. Neither waits for the
/// other, and all memory is allocated in `init`.
///
/// When the ring is full, the oldest samples are overwritten. Every sample has a position, counted from the first one
/// written, so the consumer sees how many samples it has lost, and where.
///
/// The producer announces what it is about to overwrite, writes, and then publishes. The consumer copies, and then
/// checks whether the producer has meanwhile announced to overwrite a part of the copy; it discards that part and
/// counts it as lost. Each sample is an atomic of its own, so reading one while it is overwritten is no data race.
public final class SampleRing: Sendable {
    /// The most samples that the ring holds; a power of two.
    public let capacity: Int

    // Allocated in init and freed in deinit. Between the two, threads use only the atomics in it.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<Atomic<Int16>>
    private let mask: UInt64
    /// Everything before this, less the capacity, is being overwritten or has been.
    private let announced = Atomic<UInt64>(0)
    /// Everything before this can be read.
    private let published = Atomic<UInt64>(0)
    /// The position that the consumer reads next. Only the consumer changes it.
    private let consumed = Atomic<UInt64>(0)

    /// Creates a ring.
    ///
    /// - Parameter minimumCapacity: the number of samples to hold, more than 0; rounded up to a power of two.
    public init(minimumCapacity: Int) {
        precondition(minimumCapacity > 0, "a ring holds at least one sample")
        var capacity = 1
        while capacity < minimumCapacity { capacity *= 2 }
        self.capacity = capacity
        mask = UInt64(capacity - 1)
        slots = .allocate(capacity: capacity)
        for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
    }

    deinit {
        slots.deinitialize(count: capacity)
        slots.deallocate()
    }

    /// Appends samples; for the producer. They can be read when the method returns.
    ///
    /// Allocates nothing, locks nothing and waits for nothing, which the compiler checks.
    @_noLocks
    public func write(_ samples: UnsafeBufferPointer<Int16>) {
        let start = published.load(ordering: .relaxed)
        let end = start &+ UInt64(truncatingIfNeeded: samples.count)
        announced.store(end, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        // If there are more samples than fit, only the last ones can be read.
        var index = max(0, samples.count &- capacity)
        while index < samples.count {
            let slot = Int(truncatingIfNeeded: (start &+ UInt64(truncatingIfNeeded: index)) & mask)
            slots[slot].store(samples[index], ordering: .relaxed)
            index &+= 1
        }
        published.store(end, ordering: .releasing)
    }

    /// The result of a read.
    public struct Reading: Hashable, Sendable {
        /// The position of the first sample that was read.
        public var position: Int64
        /// The number of samples that were read.
        public var count: Int
        /// The number of samples that were lost between the previous read and the first sample of this one.
        public var lost: Int64
    }

    /// Moves the oldest samples into `buffer`, as many as there are and fit; for the consumer. Does not wait: if there
    /// are none, `count` is 0.
    public func read(into buffer: UnsafeMutableBufferPointer<Int16>) -> Reading {
        let expected = consumed.load(ordering: .relaxed)
        let end = published.load(ordering: .acquiring)
        var start = max(expected, end - min(end, UInt64(capacity)))
        let count = min(Int(end - start), buffer.count)
        for index in 0..<count {
            buffer[index] = slots[Int((start + UInt64(index)) & mask)].load(ordering: .relaxed)
        }
        // If any slot above held a sample of the producer's next write, its announcement is visible here.
        atomicMemoryFence(ordering: .acquiring)
        let next = announced.load(ordering: .relaxed)
        let oldestWhole = next - min(next, UInt64(capacity))
        let torn = Int(min(oldestWhole > start ? oldestWhole - start : 0, UInt64(count)))
        if torn > 0 {
            for index in torn..<count { buffer[index - torn] = buffer[index] }
        }
        start += UInt64(torn)
        consumed.store(start + UInt64(count - torn), ordering: .relaxed)
        return Reading(position: Int64(start), count: count - torn, lost: Int64(start - expected))
    }

    /// The number of samples written since the start.
    public var samplesWritten: Int64 { Int64(published.load(ordering: .acquiring)) }

    /// The number of samples read or lost since the start.
    public var samplesConsumed: Int64 { Int64(consumed.load(ordering: .relaxed)) }
}
