import AVFoundation
import Foundation
import TestSupport
import Testing

/// Buffers that do not fit what they are given to.
@Suite("A buffer of another format")
struct BufferFormatTests {
    private static let formats: [(rate: Double, channelCount: AVAudioChannelCount)] = [
        (16_000, 1), (16_000, 2), (16_000, 3), (48_000, 1), (48_000, 2),
    ]
    private let folder = TemporaryFolder()

    private func format(_ rate: Double, _ channelCount: AVAudioChannelCount) throws -> AVAudioFormat {
        try #require(AVAudioFormat(standardFormatWithSampleRate: rate, channels: channelCount))
    }

    private func buffer(_ format: AVAudioFormat, _ count: AVAudioFrameCount = 4_800) throws -> AVAudioPCMBuffer {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: count))
        buffer.frameLength = count
        return buffer
    }

    /// Expects an error whose sentence names both formats.
    private func expectRefusal(_ format: AVAudioFormat, _ other: AVAudioFormat, _ body: () throws -> Void) {
        let error = #expect(throws: (any Error).self, "\(format) and \(other)") { try body() }
        let sentence = error?.localizedDescription ?? ""
        #expect(sentence.contains("\(format)") && sentence.contains("\(other)"), "\(sentence)")
    }

    @Test("is refused by a file, read or written, with a sentence that names both formats")
    func file() throws {
        for (rate, channelCount) in Self.formats {
            let own = try format(rate, channelCount)
            let url = URL(fileURLWithPath: folder.file("\(Int(rate))-\(channelCount).wav"))
            let writing = try AVAudioFile(forWriting: url, settings: own.settings)
            try writing.write(from: buffer(own))
            for (otherRate, otherCount) in Self.formats where (otherRate, otherCount) != (rate, channelCount) {
                let other = try buffer(format(otherRate, otherCount))
                expectRefusal(own, other.format) { try writing.write(from: other) }
                let reading = try AVAudioFile(forReading: url)
                expectRefusal(own, other.format) { try reading.read(into: other) }
                expectRefusal(own, other.format) { try reading.read(into: other, frameCount: 10) }
                #expect(reading.framePosition == 0)
            }
            #expect(writing.length == 4_800)
            // Other samples of the same rate and number are no other format.
            let integers = try #require(
                AVAudioFormat(
                    commonFormat: .pcmFormatInt16, sampleRate: rate, channels: channelCount, interleaved: true))
            let taken = try buffer(integers)
            try AVAudioFile(forReading: url).read(into: taken)
            #expect(taken.frameLength == 4_800)
        }
    }

    @Test("is refused by a converter, as its input and as its output, with a sentence that names both formats")
    func converter() throws {
        for (rate, channelCount) in Self.formats {
            let input = try format(rate, channelCount)
            let output = try #require(
                AVAudioFormat(
                    commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: channelCount, interleaved: true))
            let converter = try #require(AVAudioConverter(from: input, to: output))
            let room = try buffer(output)
            for (otherRate, otherCount) in Self.formats {
                let other = try buffer(format(otherRate, otherCount))
                expectRefusal(output, other.format) { try converter.convert(to: other, from: buffer(input)) }
                expectRefusal(output, other.format) { try Self.convert(converter, other, buffer(input)) }
                if other.format == input { continue }
                expectRefusal(input, other.format) { try converter.convert(to: room, from: other) }
                expectRefusal(input, other.format) { try Self.convert(converter, room, other) }
            }
            try converter.convert(to: room, from: buffer(input))
        }
    }

    /// Converts as programs do that give buffers in a block.
    private static func convert(
        _ converter: AVAudioConverter, _ output: AVAudioPCMBuffer, _ input: AVAudioPCMBuffer
    ) throws {
        var error: NSError?
        let status = converter.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return input
        }
        #expect((status == .error) == (error != nil))
        if let error { throw error }
    }

    @Test("has come to the place of a file that is read again: it has no more frames")
    func replaced() throws {
        let path = folder.file("a.wav")
        let stereo = try format(16_000, 2)
        try AVAudioFile(forWriting: URL(fileURLWithPath: path), settings: stereo.settings).write(from: buffer(stereo))
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: path))
        let mono = try format(16_000, 1)
        try AVAudioFile(forWriting: URL(fileURLWithPath: path), settings: mono.settings).write(from: buffer(mono))
        file.framePosition = 100
        let read = try buffer(stereo)
        try file.read(into: read)
        #expect(read.frameLength == 0)
    }
}
