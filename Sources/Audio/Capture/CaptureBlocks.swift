/// What a tap hears, block by block, each where it stands in the capture: a position behind the end of the block before says that
/// the samples between are lost. For one reader.
///
/// After the tap has stopped the sequence goes on to the last sample that was captured, and ends. When the device is lost it
/// goes on as far, and throws a `CaptureError` then. Dropping the tap ends the capture; the rest can still be read.
public struct CaptureBlocks: AsyncSequence, Sendable {
    public typealias Element = AudioBlock
    public typealias Failure = any Error

    let session: CaptureSession

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reader: CaptureReader(session))
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var reader: CaptureReader

        /// The samples since the last block, as soon as there are any; at most a second of them.
        ///
        /// - Throws: `CaptureError`, behind the last block; `CancellationError`.
        public mutating func next() async throws -> AudioBlock? {
            while true {
                try Task.checkCancellation()
                // Looked at before the ring: what is in there then is all there will be.
                let end = reader.session.end
                if let block = reader.next() { return block }
                if let end {
                    if let error = CaptureError(end, device: reader.session.configuration.device) { throw error }
                    return nil
                }
                await reader.session.wakeUp.wait()
            }
        }
    }
}

/// The reading end of a capture: takes samples from the ring and puts them where they stand in time.
struct CaptureReader {
    let session: CaptureSession
    /// Samples that the device has lost so far: the position in time is that much ahead of that in the ring.
    private var missing: Int64 = 0
    /// Samples that were read and stand behind a gap.
    private var rest: ArraySlice<Int16> = []
    /// The position of the rest in the ring.
    private var restPosition: Int64 = 0

    init(_ session: CaptureSession) { self.session = session }

    /// The next samples without a gap in them; `nil` when there are none now.
    mutating func next() -> AudioBlock? {
        if rest.isEmpty { fill() }
        guard !rest.isEmpty else { return nil }
        var count = rest.count
        while let gap = session.gaps.first {
            guard gap.position <= restPosition else {
                count = Int(min(Int64(count), gap.position - restPosition))
                break
            }
            missing += gap.length
            session.gaps.removeFirst()
        }
        defer {
            rest = rest.dropFirst(count)
            restPosition += Int64(count)
        }
        session.counters.samplesDelivered.add(Int64(count), ordering: .relaxed)
        return AudioBlock(
            samples: Array(rest.prefix(count)), sampleRate: session.configuration.sampleRate,
            position: restPosition + missing)
    }

    private mutating func fill() {
        var reading = SampleRing.Reading(position: 0, count: 0, lost: 0)
        let samples = [Int16](unsafeUninitializedCapacity: session.configuration.sampleRate) { buffer, count in
            reading = session.ring.read(into: buffer)
            count = reading.count
        }
        session.counters.samplesDropped.add(reading.lost, ordering: .relaxed)
        rest = samples[...]
        restPosition = reading.position
    }
}
