import Audio
import Speech
import Testing
import TestSupport

@testable import utter

struct LiveInputTests {
    private struct Unplugged: Error {}

    private typealias Capture = AsyncThrowingStream<AudioBlock, any Error>

    private func capture(_ blocks: [AudioBlock], error: (any Error)? = nil) -> Capture {
        let (stream, continuation) = Capture.makeStream()
        for block in blocks { continuation.yield(block) }
        continuation.finish(throwing: error)
        return stream
    }

    private func block(_ samples: [Int16], at position: Int64? = nil) -> AudioBlock {
        AudioBlock(samples: samples, sampleRate: 16_000, position: position)
    }

    /// Every sample with its position.
    private func read(_ input: LiveInput) async -> [[Int64]] {
        var samples: [[Int64]] = []
        for await element in input {
            guard let start = element.buffer.position else { return [] }
            for (index, sample) in element.buffer.samples.enumerated() {
                samples.append([start + Int64(index), Int64(sample)])
            }
        }
        return samples
    }

    @Test(
        "Captures follow one another without a gap, each from its first sample on; samples that a capture lost are a gap"
    )
    func several() async {
        let failures = Collected<Bool>()
        let input = LiveInput { failures.add($0 != nil) }
        input.append(capture([block([1, 2], at: 0), block([3], at: 5)]))
        input.append(capture([block([4], at: 0), block([5])]))
        input.append(capture([]))
        input.append(capture([block([6], at: 3)]))
        input.finish()
        #expect(await read(input) == [[0, 1], [1, 2], [5, 3], [6, 4], [7, 5], [11, 6]])
        #expect(failures.all == [false, false, false, false])
    }

    @Test("A capture's failure is reported after its samples; the next one continues from there")
    func failing() async {
        let failures = Collected<Bool>()
        let input = LiveInput { failures.add($0 != nil) }
        input.append(capture([block([1], at: 0)], error: Unplugged()))
        input.append(capture([block([2], at: 0)]))
        input.finish()
        #expect(await read(input) == [[0, 1], [1, 2]])
        #expect(failures.all == [true, false])
    }

    @Test("A reader waits during a pause, and for the finish")
    func pauses() async throws {
        let (ended, endedContinuation) = AsyncStream.makeStream(of: Void.self)
        let input = LiveInput { _ in endedContinuation.yield() }
        var pauses = ended.makeAsyncIterator()
        async let samples = read(input)
        for value in Int16(1)...3 {
            input.append(capture([block([value], at: 0)]))
            await pauses.next()
        }
        input.finish()
        #expect(await samples == [[0, 1], [1, 2], [2, 3]])
    }

    @Test("A reader that is cancelled while it waits, in a pause or for a capture, ends", arguments: [false, true])
    func cancellation(inCapture: Bool) async {
        let input = LiveInput { _ in }
        let (open, continuation) = Capture.makeStream()
        let first = AsyncStream.makeStream(of: Void.self)
        let reader = Task {
            var iterator = input.makeAsyncIterator()
            var count = 0
            while await iterator.next() != nil {
                count += 1
                first.continuation.yield()
            }
            return count
        }
        continuation.yield(block([1], at: 0))
        if !inCapture { continuation.finish() }
        input.append(open)
        var arrivals = first.stream.makeAsyncIterator()
        await arrivals.next()
        reader.cancel()
        #expect(await reader.value == 1)
        continuation.finish()
    }

    @Test("However captures are cut and whatever they lose, positions only increase, and every sample comes once")
    func random() async {
        var numbers = SplitMix64(for: "live input")
        for _ in 0..<200 {
            let input = LiveInput { _ in }
            var expected: [[Int64]] = []
            var end: Int64 = 0
            for _ in 0..<Int.random(in: 0...4, using: &numbers) {
                let start = end
                var position: Int64 = 0
                var blocks: [AudioBlock] = []
                for _ in 0..<Int.random(in: 0...5, using: &numbers) {
                    position += Bool.random(using: &numbers) ? 0 : Int64.random(in: 1...1000, using: &numbers)
                    let samples = (0..<Int.random(in: 1...9, using: &numbers)).map { _ in
                        Int16.random(in: 1...100, using: &numbers)
                    }
                    blocks.append(block(samples, at: position))
                    for sample in samples {
                        expected.append([start + position, Int64(sample)])
                        position += 1
                    }
                    end = start + position
                }
                input.append(capture(blocks))
            }
            input.finish()
            #expect(await read(input) == expected)
        }
    }

    @Test("When the reader has dropped the input, it is freed, and a later capture does no harm")
    func dropped() async {
        weak var weakInput: LiveInput?
        do {
            let input = LiveInput { _ in }
            weakInput = input
            input.append(capture([block([1], at: 0), block([2])]))
            var iterator = input.makeAsyncIterator()
            _ = await iterator.next()
            input.finish()
            input.append(capture([block([3], at: 0)]))
        }
        #expect(weakInput == nil)
    }
}
