import Audio

/// Places the sound of one device on a clock that several devices share. Pure.
///
/// A device's clock is fast or slow by up to some hundred parts in a million; with 100 it is 0.36 s off after an hour. What each block says about
/// the time of the capture's first sample is averaged. As soon as the sound is a hundredth of a second off, samples are left out or
/// doubled, one by one, where the sound changes least. Where the clocks agree, no sample changes.
struct SourceClock {
    private let sampleRate: Int
    /// Where the capture's first sample stands on the shared clock, in samples, averaged; nil before the first block.
    private var origin: Double?
    /// How much sound the average is of, in samples.
    private var averaged = 0.0
    /// Where the next block is expected in the capture.
    private var expected: Int64 = 0
    /// Whether the present difference is being taken out.
    private var isCorrecting = false
    /// Samples since the last one that was left out or doubled.
    private var sinceCorrection = 0
    /// Where the drift is measured from: the capture's position, and the origin then.
    private var drift: (position: Int64, origin: Double)?

    /// Up to where the shared clock has sound, in samples.
    private(set) var end: Int64 = 0
    /// How much faster the device's clock is than the shared one, in parts in a million; nil before it is known.
    private(set) var partsPerMillion: Double?

    /// The time over which the average goes, in seconds.
    private static let memory = 5.0
    /// The difference that is taken out, in seconds. Reading a sound server varies by less.
    private static let tolerance = 0.01
    /// The difference, in seconds, from which on the sound begins anew at its place: it stood still, or some is lost.
    private static let standstill = 0.3
    /// One sample in so many may be left out or doubled: 0.2 %.
    private static let spacing = 500
    /// Of quiet sound one sample in so many, for nobody hears it. That makes good what a sound server had in store at the start.
    private static let quietSpacing = 10
    /// The peak of quiet sound: -40 dB of full scale.
    private static let quietPeak = 328
    /// After so many seconds the average is settled, and the drift is measured from there.
    private static let settling = 20.0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Places a block.
    ///
    /// - Parameters:
    ///   - block: the next block of the capture.
    ///   - first: when the capture's first sample sounded, by what is known now, in samples on the shared clock.
    /// - Returns: the block with its position on the shared clock, and up to a five-hundredth more or fewer samples.
    mutating func place(_ block: AudioBlock, first: Double) -> AudioBlock {
        var block = block
        let position = block.position ?? expected
        let isContinuous = position == expected && origin != nil
        expected = position + Int64(block.samples.count)
        average(first, over: block.samples.count, at: position)
        // Never before what is there: sound is not thrown away.
        let place = position + Int64((origin ?? first).rounded())
        let difference = Int(place - end)
        if !isContinuous || difference > seconds(Self.standstill) {
            block.position = max(end, place)
        } else {
            block.position = end
            correct(&block.samples, by: difference)
        }
        end = (block.position ?? end) + Int64(block.samples.count)
        return block
    }

    /// Adds silence up to a time at which the device gives no sound. What it gives later begins anew at its place.
    ///
    /// - Returns: the silence; nil where there is sound up to then.
    mutating func silence(through time: Int64) -> AudioBlock? {
        guard time > end else { return nil }
        defer { end = time }
        origin = nil
        return AudioBlock(
            samples: [Int16](repeating: 0, count: Int(time - end)), sampleRate: sampleRate, position: end)
    }

    /// Begins another capture of the device.
    mutating func restart() { (origin, expected, averaged, drift) = (nil, 0, 0, nil) }

    private func seconds(_ seconds: Double) -> Int { Int(seconds * Double(sampleRate)) }

    private mutating func average(_ first: Double, over count: Int, at position: Int64) {
        guard let before = origin, abs(first - before) < Self.standstill * Double(sampleRate) else {
            (origin, averaged, drift) = (first, Double(count), nil)
            return
        }
        averaged = min(averaged + Double(count), Self.memory * Double(sampleRate))
        let now = before + (first - before) * min(1, Double(count) / averaged)
        origin = now
        if let drift {
            let length = Double(position - drift.position)
            if length > Double(seconds(Self.settling)) { partsPerMillion = (drift.origin - now) / length * 1e6 }
        } else if position > seconds(Self.settling) {
            drift = (position, now)
        }
    }

    /// Leaves out or doubles samples to bring the next block nearer to its place.
    ///
    /// - Parameter difference: how many samples are missing before the block; negative where it comes too late by so many.
    private mutating func correct(_ samples: inout [Int16], by difference: Int) {
        isCorrecting = abs(difference) >= (isCorrecting ? 1 : seconds(Self.tolerance))
        let room = sinceCorrection + samples.count
        let isQuiet = samples.allSatisfy { abs(Int($0)) < Self.quietPeak }
        let spacing = isQuiet ? Self.quietSpacing : Self.spacing
        let count = isCorrecting ? min(abs(difference), room / spacing, samples.count / Self.quietSpacing) : 0
        sinceCorrection = count > 0 ? 0 : min(room, Self.spacing)
        guard count > 0 else { return }
        let length = samples.count / count
        // From the last to the first, so that the earlier places stay.
        for part in (0..<count).reversed() {
            let range = part * length..<(part + 1) * length
            let calm = Self.calmest(samples, in: range)
            if difference > 0 { samples.insert(samples[calm], at: calm) } else { samples.remove(at: calm) }
        }
    }

    /// The sample in a range that differs least from the one before it.
    private static func calmest(_ samples: [Int16], in range: Range<Int>) -> Int {
        func step(_ index: Int) -> Int { abs(Int(samples[index]) - Int(samples[max(0, index - 1)])) }
        return range.dropFirst().min { step($0) < step($1) } ?? range.lowerBound
    }
}
