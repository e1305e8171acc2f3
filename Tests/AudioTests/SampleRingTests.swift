import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite("A ring of samples")
struct SampleRingTests {
    @Test("equals a simple queue under any order of writes and reads", arguments: 0..<20)
    func equalsAModel(run: Int) {
        var random = SplitMix64(for: "ring \(run)")
        let seed = random.seed
        let ring = SampleRing(minimumCapacity: 64)
        var written: [Int16] = []
        var consumed = 0
        for _ in 0..<500 {
            if Bool.random(using: &random) {
                let samples = (0..<Int.random(in: 0...150, using: &random)).map { _ in
                    Int16.random(in: .min ... .max, using: &random)
                }
                ring.write(samples)
                written += samples
            } else {
                let limit = Int.random(in: 0...100, using: &random)
                let (samples, reading) = ring.readAll(upTo: limit)
                let start = max(consumed, written.count - ring.capacity)
                #expect(reading.position == Int64(start), "seed \(seed)")
                #expect(reading.lost == Int64(start - consumed), "seed \(seed)")
                #expect(samples.count == min(limit, written.count - start) && reading.count == samples.count)
                #expect(samples == Array(written[start..<(start + samples.count)]), "seed \(seed)")
                consumed = start + samples.count
            }
            #expect(ring.samplesWritten == written.count && ring.samplesConsumed == consumed)
        }
    }

    /// Samples through two threads; the value of each follows from its position, so that any that is wrong shows.
    /// `UTTER_RING_SAMPLES` raises the count: a billion was run by hand.
    @Test("passes samples from thread to thread without an error, however the two race", arguments: [64, 4096])
    func twoThreads(capacity: Int) async {
        let total = Tier.count(500_000, long: 2_000_000, "UTTER_RING_SAMPLES")
        let ring = SampleRing(minimumCapacity: capacity)
        let seed = SplitMix64(for: "ring of \(capacity)").seed
        let producer = Thread {
            var random = SplitMix64(seed: seed)
            var next = 0
            var block: [Int16] = []
            while next < total {
                let count = min(Int(random.next() % 100), total - next)
                // Mostly it waits for room, so that most samples are handed over; sometimes it overwrites what is being read.
                if random.next() % 16 != 0 {
                    while next + min(count, capacity) - Int(ring.samplesConsumed) > capacity { sched_yield() }
                }
                block.removeAll(keepingCapacity: true)
                for position in next..<(next + count) { block.append(Self.value(position)) }
                ring.write(block)
                next += count
            }
        }
        producer.start()
        let outcome = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var wrong = 0
                var read = 0
                var lost = 0
                var position = 0
                let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 80)
                defer { buffer.deallocate() }
                while read + lost < total {
                    let reading = ring.read(into: buffer)
                    if Int(reading.position) != position + Int(reading.lost) { wrong += 1 }
                    for index in 0..<reading.count where buffer[index] != Self.value(Int(reading.position) + index) {
                        wrong += 1
                    }
                    read += reading.count
                    lost += Int(reading.lost)
                    position = Int(reading.position) + reading.count
                    if reading.count == 0 { sched_yield() }
                }
                continuation.resume(returning: (wrong: wrong, read: read, lost: lost))
            }
        }
        print("ring of \(capacity): \(outcome.read) samples read, \(outcome.lost) lost, seed \(seed)")
        #expect(outcome.wrong == 0)
        #expect(outcome.read + outcome.lost == total)
    }

    private static func value(_ position: Int) -> Int16 {
        Int16(truncatingIfNeeded: (position &* 2_654_435_761) >> 7)
    }
}

extension SampleRing {
    fileprivate func write(_ samples: [Int16]) { samples.withUnsafeBufferPointer { write($0) } }

    fileprivate func readAll(upTo count: Int) -> ([Int16], Reading) {
        var reading = Reading(position: 0, count: 0, lost: 0)
        let samples = [Int16](unsafeUninitializedCapacity: max(1, count)) { buffer, used in
            reading = read(into: UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
            used = reading.count
        }
        return (samples, reading)
    }
}
