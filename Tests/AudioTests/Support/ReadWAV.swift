import Audio

@testable import struct Audio.WAVReader

/// Everything that a reader gives.
struct WAVContents: Equatable {
    var format: AudioFormat
    var declaredFrameCount: Int64?
    var samples: [Float]
    var channelNames: [String] = []
    var warnings: [WAVWarning]
    /// The error after the last frame.
    var failure: WAVError?

    var frameCount: Int { samples.count / format.channelCount }
    var warningCodes: Set<WAVWarning.Code> { Set(warnings.map(\.code)) }
}

/// Reads a WAV to its end, `framesAtOnce` frames with every call.
func readWAV(
    _ source: some ByteSource, framesAtOnce: Int = 64, bufferByteCount: Int = 1 << 16
) throws -> WAVContents {
    var reader = try WAVReader(source: source, bufferByteCount: bufferByteCount)
    var buffer = [Float](repeating: 0, count: framesAtOnce * reader.format.channelCount)
    var samples: [Float] = []
    var failure: WAVError?
    do {
        while true {
            let frameCount = try buffer.withUnsafeMutableBufferPointer { try reader.read(into: $0) }
            if frameCount == 0 { break }
            samples += buffer[..<(frameCount * reader.format.channelCount)]
        }
    } catch let error as WAVError where error.code == .truncated {
        failure = error
    }
    return WAVContents(
        format: reader.format, declaredFrameCount: reader.declaredFrameCount, samples: samples,
        channelNames: reader.channelNames, warnings: reader.warnings, failure: failure)
}

func readWAV(_ bytes: [UInt8]) throws -> WAVContents {
    try readWAV(ArrayByteSource(bytes))
}
