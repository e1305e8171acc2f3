import Synchronization

/// A ring of samples between one producer, which may be a real-time thread, and one consumer. Neither ever waits for the
/// other; everything is allocated at the start.
///
/// When it is full the oldest samples go, since the freshest audio is the audio one needs. Every sample has a position,
/// counted from the first ever written, so the consumer sees exactly how many it has lost and where.
///
/// The producer announces what it is about to overwrite, writes, and then publishes it. The consumer copies, and looks
/// afterwards whether the producer has meanwhile announced to overwrite a part of what it copied: that part it throws away
/// and counts as lost. Each sample is an atomic of its own, so that reading one while it is overwritten is no data race.
public final class SampleRing: Sendable {
    /// How many samples fit; a power of two.
    public let capacity: Int

    // Allocated in init, freed in deinit, and between the two only their atomics are used, through any thread.
    nonisolated(unsafe) private let slots: UnsafeMutablePointer<Atomic<Int16>>
    private let mask: UInt64
    /// Everything before this, less the capacity, is being overwritten or has been.
    private let announced = Atomic<UInt64>(0)
    /// Everything before this can be read.
    private let published = Atomic<UInt64>(0)
    /// The position that the consumer reads next. Only the consumer changes it.
    private let consumed = Atomic<UInt64>(0)

    /// - Parameter minimumCapacity: samples; more than 0. Rounded up to a power of two.
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

    /// The producer's side: appends samples. They can be read when this returns.
    ///
    /// Allocates nothing, locks nothing and waits for nothing, as the compiler checks.
    @_noLocks
    public func write(_ samples: UnsafeBufferPointer<Int16>) {
        let start = published.load(ordering: .relaxed)
        let end = start &+ UInt64(truncatingIfNeeded: samples.count)
        announced.store(end, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        // Of more than fits only the end will be there to read.
        var index = max(0, samples.count &- capacity)
        while index < samples.count {
            let slot = Int(truncatingIfNeeded: (start &+ UInt64(truncatingIfNeeded: index)) & mask)
            slots[slot].store(samples[index], ordering: .relaxed)
            index &+= 1
        }
        published.store(end, ordering: .releasing)
    }

    /// What a read gave.
    public struct Reading: Hashable, Sendable {
        /// The position of the first sample that was read.
        public var position: Int64
        /// How many samples were read.
        public var count: Int
        /// How many samples before the first one were lost since the reading before.
        public var lost: Int64
    }

    /// The consumer's side: moves the oldest samples into `buffer`, as many as there are and fit. It does not wait; when
    /// there are none, `count` is 0.
    public func read(into buffer: UnsafeMutableBufferPointer<Int16>) -> Reading {
        let expected = consumed.load(ordering: .relaxed)
        let end = published.load(ordering: .acquiring)
        var start = max(expected, end - min(end, UInt64(capacity)))
        let count = min(Int(end - start), buffer.count)
        for index in 0..<count {
            buffer[index] = slots[Int((start + UInt64(index)) & mask)].load(ordering: .relaxed)
        }
        // If any slot above held a sample of the producer's next write, then its announcement is seen here.
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

    /// Samples written since the start.
    public var samplesWritten: Int64 { Int64(published.load(ordering: .acquiring)) }

    /// Samples read or lost since the start.
    public var samplesConsumed: Int64 { Int64(consumed.load(ordering: .relaxed)) }
}
