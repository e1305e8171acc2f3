import Foundation
import TestSupport
import Testing

@testable import Audio

@Suite("Whatever its bytes are, a WAV")
struct WAVRobustnessTests {
    /// Gives bytes, and counts how often it was asked for some.
    private final class CountingSource: ByteSource {
        private var source: ArrayByteSource
        private(set) var requestCount = 0

        init(_ bytes: some Sequence<UInt8>) { source = ArrayByteSource(Array(bytes)) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            requestCount += 1
            return source.read(into: buffer)
        }
    }

    // `CorpusTests` have files with random changes.
    @Test("that ends at any byte gives the frames up to there or an error")
    func truncations() throws {
        for seed in SeedFile.all() {
            let bytesPerFrame = seed.encoding.byteCount * seed.channelCount
            for length in 0...seed.bytes.count {
                let source = CountingSource(seed.bytes.prefix(length))
                let found: Int?
                do { found = try readWAV(source, bufferByteCount: 512).frameCount } catch is WAVError { found = nil }
                let frameCount = (length - seed.dataOffset) / bytesPerFrame
                let expected =
                    length < seed.dataOffset
                    ? nil : seed.layout == .streaming ? frameCount : min(seed.frameCount, frameCount)
                if found != expected { Issue.record("\(seed.testDescription) cut at \(length): \(found ?? -1) frames") }
                // One for each byte at most, and some that meet the end.
                if source.requestCount > length + 8 { Issue.record("asked \(source.requestCount) times for \(length)") }
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
