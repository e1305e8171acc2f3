import Foundation
import TestSupport
import Testing

@testable import Audio

@Suite("Whatever its bytes are, a WAV")
struct WAVRobustnessTests {
    /// Gives bytes and remembers the most that it was asked for, and how often.
    private final class WatchedSource: ByteSource {
        private var source: ArrayByteSource
        private(set) var largestRequest = 0
        private(set) var requestCount = 0

        init(_ bytes: [UInt8], maximumReadSize: Int) {
            source = ArrayByteSource(bytes, maximumReadSize: maximumReadSize)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            largestRequest = max(largestRequest, buffer.count)
            requestCount += 1
            return source.read(into: buffer)
        }
    }

    private enum Outcome: Equatable {
        case contents(WAVContents)
        case error(WAVError)
    }

    /// Reads `bytes`, and says what is wrong with how that went; nil if nothing is.
    private func complaint(
        about bytes: [UInt8], maximumReadSize: Int = .max, bufferByteCount: Int = 512
    ) -> (outcome: Outcome?, complaint: String?) {
        let source = WatchedSource(bytes, maximumReadSize: maximumReadSize)
        do {
            let contents = try readWAV(source, bufferByteCount: bufferByteCount)
            let outcome = Outcome.contents(contents)
            // One for each byte at most, and some that meet the end.
            if source.requestCount > bytes.count + 8 {
                return (outcome, "asked \(source.requestCount) times for \(bytes.count) bytes")
            }
            if source.largestRequest > bufferByteCount { return (outcome, "asked for \(source.largestRequest) bytes") }
            if contents.samples.count * contents.format.encoding.byteCount > bytes.count {
                return (outcome, "more samples than bytes")
            }
            if !contents.samples.allSatisfy(\.isFinite) { return (outcome, "a sample that is no number") }
            if contents.samples.count % contents.format.channelCount != 0 { return (outcome, "half a frame") }
            if contents.warnings.count > 5 { return (outcome, "too many warnings") }
            return (outcome, nil)
        } catch let error as WAVError {
            if !(0...Int64(bytes.count)).contains(error.byteOffset) {
                return (.error(error), "the error is outside of the file: \(error)")
            }
            if !error.description.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
                return (.error(error), "control characters in the error")
            }
            return (.error(error), nil)
        } catch {
            return (nil, "an error of another type: \(error)")
        }
    }

    @Test("that ends at any byte gives the frames up to there or an error")
    func truncations() {
        for seed in SeedFile.all() {
            let bytesPerFrame = seed.encoding.byteCount * seed.channelCount
            for length in 0...seed.bytes.count {
                let (outcome, complaint) = complaint(about: Array(seed.bytes.prefix(length)))
                if let complaint { Issue.record("\(seed.testDescription) cut at \(length): \(complaint)") }
                switch outcome {
                case .contents(let contents):
                    let frameCount = (length - seed.dataOffset) / bytesPerFrame
                    let expected = seed.layout == .streaming ? frameCount : min(seed.frameCount, frameCount)
                    if length < seed.dataOffset || contents.frameCount != expected {
                        Issue.record("\(seed.testDescription) cut at \(length): \(contents.frameCount) frames")
                    }
                case .error:
                    if length >= seed.dataOffset { Issue.record("\(seed.testDescription) cut at \(length): an error") }
                case nil:
                    break
                }
            }
        }
    }

    @Test("with any one bit of its header turned gives frames or an error, and no more is read than there is")
    func bitFlips() {
        var outcomes = (contents: 0, errors: 0)
        for seed in SeedFile.all() {
            for bit in 0..<(seed.dataOffset * 8) {
                var bytes = seed.bytes
                bytes[bit / 8] ^= 1 << (bit % 8)
                let (outcome, complaint) = complaint(about: bytes)
                if let complaint { Issue.record("\(seed.testDescription), bit \(bit): \(complaint)") }
                switch outcome {
                case .contents: outcomes.contents += 1
                case .error: outcomes.errors += 1
                case nil: break
                }
            }
        }
        // A reader that refuses everything, or takes everything, would pass the rest.
        #expect(outcomes.contents > 5000 && outcomes.errors > 5000, "\(outcomes)")
    }

    @Test("with random changes gives frames or an error, the same in reads of one byte as at once")
    func randomMutations() {
        let runs = Tier.count(10_000, long: 100_000, "UTTER_FUZZ_RUNS")
        let seed = SplitMix64(for: "\(runs) mutations").seed
        let files = SeedFile.all(frameCount: 6)
        for run in 0..<runs {
            // Every run has a generator of its own, so that one can be repeated alone.
            var random = SplitMix64(seed: seed &+ UInt64(run) &* 0x1_0000_0001)
            let file = files[Int.random(in: 0..<files.count, using: &random)]
            let other = files[Int.random(in: 0..<files.count, using: &random)]
            let bytes = Mutation.mutate(file, with: other, using: &random)
            let (outcome, complaint) = complaint(about: bytes)
            if let complaint { Issue.record("seed \(seed), run \(run): \(complaint)") }
            if run % 16 == 0 {
                let (slowly, complaint) = self.complaint(about: bytes, maximumReadSize: 1, bufferByteCount: 1024)
                if let complaint { Issue.record("seed \(seed), run \(run), a byte at a time: \(complaint)") }
                if slowly != outcome { Issue.record("seed \(seed), run \(run): differs a byte at a time") }
            }
        }
    }

    @Test("is the same in reads of every size, into buffers of every size")
    func readSizes() throws {
        for seed in SeedFile.all(frameCount: 300) {
            let whole = try readWAV(seed.bytes)
            #expect(whole.samples.count >= 300 * seed.channelCount)
            for (readSize, framesAtOnce) in [(1, 1), (1, 1000), (7, 5), (513, 64), (.max, 1)] {
                let source = ArrayByteSource(seed.bytes, maximumReadSize: readSize)
                let parts = try readWAV(source, framesAtOnce: framesAtOnce, bufferByteCount: 512)
                #expect(parts == whole, "\(seed.testDescription), \(readSize) bytes and \(framesAtOnce) frames at once")
            }
        }
    }

    @Test("with a gigabyte of junk is read in the memory of a small one")
    func memory() async {
        /// A header, then junk that never existed anywhere, then samples.
        struct JunkSource: ByteSource {
            var head: [UInt8]
            var junkByteCount: Int
            var tail: [UInt8]

            mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
                if !head.isEmpty { return give(&head, buffer) }
                if junkByteCount > 0 {
                    let count = min(junkByteCount, buffer.count)
                    junkByteCount -= count
                    return count
                }
                return give(&tail, buffer)
            }

            private func give(_ bytes: inout [UInt8], _ buffer: UnsafeMutableRawBufferPointer) -> Int {
                let count = min(bytes.count, buffer.count)
                buffer.copyBytes(from: bytes.prefix(count))
                bytes.removeFirst(count)
                return count
            }
        }
        // In a process of its own: a process has one peak, and other tests would raise it.
        await #expect(processExitsWith: .success) {
            func peakKilobytes() -> Int {
                var usage = rusage()
                getrusage(RUSAGE_SELF.rawValue, &usage)
                return usage.ru_maxrss
            }
            var head = WAVBuilder()
            head.chunk("fmt ", formatBody())
            head.chunk("JUNK", [], size: 1 << 30)
            var tail = WAVBuilder()
            tail.chunk("data", [1, 0, 2, 0])
            let source = JunkSource(head: head.bytes, junkByteCount: 1 << 30, tail: Array(tail.bytes.dropFirst(12)))
            let before = peakKilobytes()
            let samples = try readWAV(source).samples
            // With its type, the compiler need not look for one: it took twelve seconds.
            let expected: [Float] = [1 / 32768, 2 / 32768]
            let growth: Int = peakKilobytes() - before
            #expect(samples == expected)
            #expect(growth < 64 * 1024)
        }
    }

    @Test("whose source fails gives the frames before the failure, and the source's own error")
    func failingSource() throws {
        struct Unplugged: Error {}
        struct FailingSource: ByteSource {
            var source: ArrayByteSource
            mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
                let count = source.read(into: buffer)
                if count == 0 { throw Unplugged() }
                return count
            }
        }
        let bytes = WAVBuilder.pcm16([1, 2, 3, 4])
        #expect(throws: Unplugged.self) { try readWAV(FailingSource(source: ArrayByteSource(Array(bytes.prefix(30))))) }

        var reader = try WAVReader(source: FailingSource(source: ArrayByteSource(Array(bytes.prefix(48)))))
        var buffer = [Float](repeating: 0, count: 8)
        let frameCount = try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
        #expect(frameCount == 2)
        #expect(throws: Unplugged.self) { try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) } }
    }
}
