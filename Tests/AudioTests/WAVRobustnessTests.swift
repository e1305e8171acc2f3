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
