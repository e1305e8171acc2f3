@testable import Audio

/// The WAV reader: it gives frames or a typed error, independent of how the bytes are divided into reads, in bounded memory.
enum WAVSubject {
    static func check(_ bytes: [UInt8]) {
        var outcome = Outcome()
        let peak = HeapWatch.peak { outcome = read(bytes, cuts: .max, window: 1 << 16, framesAtOnce: 1024) }
        require(
            peak <= 2 * bytes.count + 1 << 20, "memory under twice the input and 1 MiB, not \(peak) for \(bytes.count)")
        check(outcome, of: bytes)

        // The sizes of the reads depend on the input alone, so that a crash can be repeated.
        let sum = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        let again = read(bytes, cuts: 1 + sum % 29, window: 512 + sum % 513, framesAtOnce: 1 + sum % 7)
        require(again == outcome, "the same in pieces as at once")
    }

    private struct Outcome: Equatable {
        var format: AudioFormat?
        var declaredFrameCount: Int64?
        var channelNames: [String] = []
        var frameCount = 0
        /// The FNV-1a hash of the samples' bits.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        var warnings: [WAVWarning] = []
        var error: WAVError?
    }

    /// A source that counts the requests and the bytes of the largest.
    private final class WatchedSource: ByteSource {
        private var source: ArrayByteSource
        private(set) var largestRequest = 0
        private(set) var requestCount = 0

        init(_ bytes: [UInt8], cuts: Int) { source = ArrayByteSource(bytes, maximumReadSize: cuts) }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            largestRequest = max(largestRequest, buffer.count)
            requestCount += 1
            return source.read(into: buffer)
        }
    }

    private static func read(_ bytes: [UInt8], cuts: Int, window: Int, framesAtOnce: Int) -> Outcome {
        var outcome = Outcome()
        let source = WatchedSource(bytes, cuts: cuts)
        defer {
            require(source.largestRequest <= window, "reads no more than its window at once")
            require(source.requestCount <= bytes.count + 8, "asks once for a byte, and a few times at the end")
        }
        do {
            var reader = try WAVReader(source: source, bufferByteCount: window)
            let channelCount = reader.format.channelCount
            outcome.format = reader.format
            outcome.declaredFrameCount = reader.declaredFrameCount
            outcome.channelNames = reader.channelNames
            var buffer = [Float](repeating: 0, count: framesAtOnce * channelCount)
            while true {
                let frameCount = try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
                require((0...framesAtOnce).contains(frameCount), "no more frames than there is room for")
                if frameCount == 0 { break }
                outcome.frameCount += frameCount
                for sample in buffer[..<(frameCount * channelCount)] {
                    require(sample.isFinite, "every sample is a number")
                    outcome.digest = (outcome.digest ^ UInt64(sample.bitPattern)) &* 0x100_0000_01B3
                }
            }
            let end = try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            require(end == 0, "the end is the end")
            outcome.warnings = reader.warnings
        } catch let error as WAVError {
            outcome.error = error
        } catch {
            require(false, "an error of the reader's own type, not \(error)")
        }
        return outcome
    }

    private static func check(_ outcome: Outcome, of bytes: [UInt8]) {
        let places = 0...Int64(bytes.count)
        if let error = outcome.error {
            require(places.contains(error.byteOffset), "the error lies in the file: \(error)")
            checkSentence(error.description)
            // After this error all else is as in a whole file.
            if error.code != .truncated { return }
        }
        let format = require(outcome.format, "frames have a format")
        require((1...64).contains(format.channelCount), "1 to 64 channels")
        require((1000...768_000).contains(format.sampleRate), "1 kHz to 768 kHz")
        require([0, format.channelCount].contains(outcome.channelNames.count), "a name for each channel, or none")
        require(outcome.channelNames.allSatisfy { $0.utf8.count <= 255 }, "no long names")
        require(WAVReader.looksLikeWAV(bytes), "what can be read looks like WAV")
        require(outcome.frameCount <= bytes.count / format.bytesPerFrame, "no more samples than bytes")
        require(Set(outcome.warnings.map(\.code)).count == outcome.warnings.count, "a warning a kind")
        for warning in outcome.warnings {
            require(
                places.contains(warning.byteOffset) && warning.count >= 0, "the warning lies in the file: \(warning)")
            checkSentence(warning.description)
        }
        if let declared = outcome.declaredFrameCount {
            require(outcome.frameCount <= declared, "no more frames than the header says")
            require(outcome.frameCount == declared || outcome.error != nil, "missing frames are told")
        }
    }

    private static func checkSentence(_ text: String) {
        require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "no control characters in \(text)")
    }
}
