import Audio
import TestSupport
import Testing

@testable import utter

@Suite("The clock that several sources share")
struct SourceClockTests {
    private static let rate = 16_000

    /// Places the blocks of a device for so many seconds, each with 10 ms.
    ///
    /// - Parameters:
    ///   - partsPerMillion: how much faster its clock is.
    ///   - jitter: by how much the time of a block may be wrong, in seconds.
    /// - Returns: the placed blocks, and by how much the end of each is off, in seconds.
    private func place(
        seconds: Int, partsPerMillion: Double = 0, jitter: Double = 0, into clock: inout SourceClock,
        samples: (Int64) -> Int16 = { _ in 0 }
    ) -> (blocks: [AudioBlock], errors: [Double]) {
        var numbers = SplitMix64(for: "jitter")
        var blocks: [AudioBlock] = []
        var errors: [Double] = []
        for index in 0..<(seconds * 100) {
            let position = Int64(index * 160)
            // The time of the block's end by the true clock, from which the origin is told.
            let end = Double(position + 160) / (1 + partsPerMillion / 1e6)
            let noise = jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &numbers) * Double(Self.rate)
            let first = 1000 + end - Double(position + 160) + noise
            let block = AudioBlock(
                samples: (position..<position + 160).map(samples), sampleRate: Self.rate, position: position)
            blocks.append(clock.place(block, first: first))
            errors.append((Double(clock.end) - 1000 - end) / Double(Self.rate))
        }
        return (blocks, errors)
    }

    @Test("Where the clocks agree, no sample changes, although the time of a block is 5 ms early or late")
    func agreement() {
        var clock = SourceClock(sampleRate: Self.rate)
        let (blocks, _) = place(seconds: 120, jitter: 0.005, into: &clock) { Int16(truncatingIfNeeded: $0) }
        #expect(blocks.allSatisfy { $0.samples.count == 160 })
        #expect(blocks.flatMap(\.samples).enumerated().allSatisfy { $1 == Int16(truncatingIfNeeded: $0) })
        #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $1.position == $0.position.map { $0 + 160 } })
    }

    @Test(
        "A clock that is fast or slow is never 15 ms off, and how fast it is becomes known",
        arguments: Tier.every(3, of: [100, -100, 800, -800]))
    func drift(partsPerMillion: Int) throws {
        var clock = SourceClock(sampleRate: Self.rate)
        let (blocks, errors) = place(
            seconds: 240, partsPerMillion: Double(partsPerMillion), jitter: 0.003, into: &clock)
        #expect(errors.allSatisfy { abs($0) < 0.015 }, "\(errors.map(abs).max() ?? 0)")
        let measured = try #require(clock.partsPerMillion)
        #expect(abs(measured - Double(partsPerMillion)) < 15, "\(measured)")
        // Nothing is missing, and nothing is doubled.
        #expect(
            zip(blocks, blocks.dropFirst()).allSatisfy {
                $1.position == $0.position.map { [count = $0.samples.count] in $0 + Int64(count) }
            })
    }

    @Test("A sample is left out or doubled where the sound changes least", arguments: [2000, -2000])
    func calm(partsPerMillion: Int) {
        var clock = SourceClock(sampleRate: Self.rate)
        // Steps of 1,000, but for one in 80 samples.
        let sound: (Int64) -> Int16 = { $0 % 160 < 80 ? Int16($0 % 80) * 100 : 8000 - Int16($0 % 80) * 100 }
        let (blocks, _) = place(seconds: 60, partsPerMillion: Double(partsPerMillion), into: &clock, samples: sound)
        let samples = blocks.flatMap(\.samples)
        #expect(samples.count != 60 * Self.rate)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { abs(Int($0) - Int($1)) <= 200 })
    }

    @Test("Sound after a loss stands at its place, and never before what is there")
    func loss() {
        var clock = SourceClock(sampleRate: Self.rate)
        let block = { AudioBlock(samples: [1, 2, 3], sampleRate: Self.rate, position: $0) }
        #expect(clock.place(block(0), first: 100).position == 100)
        #expect(clock.place(block(3), first: 100).position == 103)
        #expect(clock.place(block(1000), first: 100).position == 1100)
        #expect(clock.place(block(1003), first: 50).position == 1103)
        #expect(clock.end == 1106)
    }

    @Test("Where a device stands still, silence fills the time, and later sound stands at its place")
    func standstill() {
        var clock = SourceClock(sampleRate: Self.rate)
        let block = { AudioBlock(samples: [1, 2, 3], sampleRate: Self.rate, position: $0) }
        _ = clock.place(block(0), first: 0)
        let silence = clock.silence(through: 40_000)
        #expect(silence?.position == 3 && silence?.samples.count == 39_997)
        #expect(clock.silence(through: 40_000) == nil && clock.silence(through: 39_000) == nil)
        // The device goes on with its fourth sample, which sounded at 48,000.
        #expect(clock.place(block(3), first: 47_997).position == 48_000)
        // Without silence in between, it is seen from the time alone.
        #expect(clock.place(block(6), first: 95_994).position == 96_000)
    }

    @Test("The device that was opened again begins anew at its place")
    func restart() {
        var clock = SourceClock(sampleRate: Self.rate)
        _ = clock.place(AudioBlock(samples: [1, 2], sampleRate: Self.rate, position: 50_000), first: 0)
        clock.restart()
        #expect(
            clock.place(AudioBlock(samples: [3], sampleRate: Self.rate, position: 0), first: 90_000).position == 90_000)
        #expect(clock.place(AudioBlock(samples: [4], sampleRate: Self.rate), first: 90_000).position == 90_001)
    }
}

@Suite("The channels of a saved meeting")
struct ChannelInterleaverTests {
    @Test("A frame is given out when all channels have come so far; gaps and the end are silence")
    func frames() {
        var interleaver = ChannelInterleaver(channelCount: 2)
        #expect(interleaver.add([1, 2], at: 0, channel: 0, longestGap: 100) == [])
        #expect(interleaver.add([5], at: 1, channel: 1, longestGap: 100) == [1, 0, 2, 5])
        #expect(interleaver.add([6, 7], at: 2, channel: 1, longestGap: 100) == [])
        #expect(interleaver.add([3], at: 2, channel: 0, longestGap: 100) == [3, 6])
        // A clock that jumps does not fill the disk.
        #expect(interleaver.add([4], at: 1_000_000, channel: 0, longestGap: 2) == [0, 7])
        #expect(interleaver.finish() == [0, 0, 4, 0])
        #expect(interleaver.finish() == [] && interleaver.frameCount == 6)
    }
}
