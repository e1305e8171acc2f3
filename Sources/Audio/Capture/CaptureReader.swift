/// The reading end of a capture: takes samples from the ring and gives each block its position in time.
struct CaptureReader {
    /// The number of samples that the device has lost so far: a position in time is greater than the position in the
    /// ring by that many.
    private var missing: Int64 = 0
    /// Samples that were read and follow a gap.
    private var rest: ArraySlice<Int16> = []
    /// The position in the ring of the first sample of `rest`.
    private var restPosition: Int64 = 0

    /// Returns the next samples up to a gap, or `nil` if there are none now.
    mutating func next(of session: CaptureSession) -> AudioBlock? {
        if rest.isEmpty { fill(from: session) }
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

    private mutating func fill(from session: CaptureSession) {
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
