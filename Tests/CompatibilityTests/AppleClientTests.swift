import AVFoundation
import Foundation
import Speech
import TestSupport
import Testing

/// Code as it is written for Apple's frameworks, with nothing but their names.
@Suite("Code for Apple's frameworks")
struct AppleClientTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let model = ModelReference(path: root.path + "/Models/vosk-model-tiny-en")
    private let recording = root.appendingPathComponent("AudioFixtures/digits-awb.wav")
    private let transcript = "zero one eight zero three"

    private var samples: [Int16] {
        get throws {
            let file = try AVAudioFile(forReading: recording)
            let buffer = AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length))!
            try file.read(into: buffer)
            return (0..<Int(buffer.frameLength)).map { Int16(buffer.floatChannelData![0][$0] * 32_768) }
        }
    }

    /// A converter of buffers as clients have it.
    private func converted(
        _ buffer: AVAudioPCMBuffer, by converter: AVAudioConverter
    ) throws -> AVAudioPCMBuffer {
        let ratio = converter.outputFormat.sampleRate / converter.inputFormat.sampleRate
        let capacity = AVAudioFrameCount((Double(buffer.frameLength) * ratio).rounded(.up)) + 64
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: capacity))
        var error: NSError?
        var isDone = false
        let status = converter.convert(to: output, error: &error) { _, status in
            defer { isDone = true }
            status.pointee = isDone ? .noDataNow : .haveData
            return isDone ? nil : buffer
        }
        #expect(status != .error && error == nil)
        return output
    }

    /// The fixture at another rate with two channels, in buffers of a tenth of a second.
    private func buffers(_ format: AVAudioFormat) throws -> [AVAudioPCMBuffer] {
        let samples = try samples
        let times = Int(format.sampleRate) / 16_000
        return stride(from: 0, to: samples.count, by: 1_600).map { start in
            let block = samples[start..<min(start + 1_600, samples.count)]
            let buffer = AVAudioPCMBuffer(
                pcmFormat: format, frameCapacity: AVAudioFrameCount(block.count * times))!
            buffer.frameLength = buffer.frameCapacity
            for frame in 0..<Int(buffer.frameLength) {
                for channel in 0..<Int(format.channelCount) {
                    let sample = block[start + frame / times]
                    let place = frame * buffer.stride
                    if let floats = buffer.floatChannelData {
                        floats[channel][place] = Float(sample) / 32_768
                    } else {
                        buffer.int16ChannelData![channel][place] = sample
                    }
                }
            }
            return buffer
        }
    }

    @Test(
        "has the text of sound in memory, converted or not, whatever its format",
        arguments: [(48_000.0, 2, false), (16_000.0, 1, true), (16_000.0, 2, true), (32_000.0, 1, false)])
    func buffers(rate: Double, channelCount: UInt32, isInteger: Bool) async throws {
        let format = try #require(
            AVAudioFormat(
                commonFormat: isInteger ? .pcmFormatInt16 : .pcmFormatFloat32, sampleRate: rate,
                channels: channelCount, interleaved: isInteger))
        for converts in [true, false] {
            let transcriber = SpeechTranscriber(model: Self.model)
            let analyzer = SpeechAnalyzer(modules: [transcriber])
            let best: AVAudioFormat? = await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber])
            let target = try #require(best)
            #expect(target.sampleRate == 16_000 && target.channelCount == 1 && target.commonFormat == .pcmFormatInt16)
            try await analyzer.prepareToAnalyze(in: target)
            let converter = try #require(AVAudioConverter(from: format, to: target))
            let (sequence, builder) = AsyncStream<AnalyzerInput>.makeStream()
            for buffer in try buffers(format) {
                builder.yield(AnalyzerInput(buffer: converts ? try converted(buffer, by: converter) : buffer))
            }
            builder.finish()
            try await analyzer.start(inputSequence: sequence)
            try await analyzer.finalizeAndFinishThroughEndOfInput()
            var text: AttributedString = ""
            for try await result in transcriber.results where result.isFinal { text += result.text }
            #expect(String(text.characters) == transcript, "\(format)")
        }
    }

    @Test("has the text of a file, with times of results as Core Media names them")
    func file() async throws {
        let transcriber = SpeechTranscriber(
            model: Self.model, attributeOptions: [.audioTimeRange])
        let analyzer = SpeechAnalyzer(
            modules: [transcriber], options: .init(priority: .userInitiated, modelRetention: .processLifetime))
        let file = try AVAudioFile(forReading: recording)
        async let heard: AttributedString = transcriber.results.reduce(into: AttributedString()) {
            $0 += $1.text
        }
        let last = try #require(try await analyzer.analyzeSequence(from: file))
        try await analyzer.finalizeAndFinish(through: last)
        let text = try await heard
        #expect(String(text.characters) == transcript)
        #expect(CMTimeGetSeconds(last) == Double(file.length) / file.processingFormat.sampleRate)
        let ranges: [CMTimeRange] = text.runs.compactMap(\.audioTimeRange)
        #expect(ranges.count == transcript.split(separator: " ").count)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { CMTimeRangeGetEnd($0) <= $1.start })
        #expect(ranges.allSatisfy { $0.duration.seconds > 0 && $0.start + $0.duration == $0.end })
    }

    @Test("has the text of a file of an analyzer that nobody holds, if it finishes after that")
    func heldByFile() async throws {
        let transcriber = SpeechTranscriber(model: Self.model)
        _ = try await SpeechAnalyzer(
            inputAudioFile: AVAudioFile(forReading: recording), modules: [transcriber], finishAfterFile: true)
        var text: AttributedString = ""
        for try await result in transcriber.results where result.isFinal { text += result.text }
        #expect(String(text.characters) == transcript)
    }

    @Test("reads a file into buffers as it is, and what is no file is refused with a sentence")
    func reading() throws {
        let file = try AVAudioFile(forReading: recording)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 1_000))
        var read: [Int16] = []
        while true {
            try file.read(into: buffer)
            if buffer.frameLength == 0 { break }
            let floats = try #require(buffer.floatChannelData)
            read += (0..<Int(buffer.frameLength)).map { Int16(floats[0][$0] * 32_768) }
        }
        #expect(read == (try samples) && file.framePosition == file.length)
        for position in [1_000, 0, 70_001, file.length, file.length + 5] as [AVAudioFramePosition] {
            file.framePosition = position
            let expected = min(position, file.length)
            #expect(file.framePosition == expected)
            try file.read(into: buffer)
            let floats = try #require(buffer.floatChannelData)
            let copy = try #require(buffer.copy() as? AVAudioPCMBuffer)
            let copied = try #require(copy.floatChannelData)
            let found = (0..<Int(buffer.frameLength)).map { Int16(floats[0][$0] * 32_768) }
            #expect(found == Array(try samples.dropFirst(Int(expected)).prefix(1_000)))
            #expect(found == (0..<found.count).map { Int16(copied[0][$0] * 32_768) })
            #expect(copy.frameLength == buffer.frameLength)
        }
        #expect(throws: (any Error).self) { try AVAudioFile(forReading: URL(fileURLWithPath: "/nowhere.wav")) }
        let folder = TemporaryFolder()
        folder.put("no sound at all", in: "a.wav")
        let error = #expect(throws: (any Error).self) {
            try AVAudioFile(forReading: URL(fileURLWithPath: folder.file("a.wav")))
        }
        #expect(error?.localizedDescription == "\(folder.file("a.wav")): this is not a WAV file")
    }

    @Test("converts a stream to the same samples in buffers of any size, and to its end")
    func converter() throws {
        let input = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
        let output = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: true))
        var streams: [[Int16]] = []
        for capacity in [100, 1_600, 100_000] as [AVAudioFrameCount] {
            let converter = try #require(AVAudioConverter(from: input, to: output))
            var rest = try buffers(input)[...]
            var converted: [Int16] = []
            while true {
                let buffer = try #require(AVAudioPCMBuffer(pcmFormat: output, frameCapacity: capacity))
                let status = converter.convert(to: buffer, error: nil) { _, status in
                    status.pointee = rest.isEmpty ? .endOfStream : .haveData
                    return rest.popFirst()
                }
                let integers = try #require(buffer.int16ChannelData)
                converted += (0..<Int(buffer.frameLength)).map { integers[0][$0] }
                if status == .endOfStream { break }
                #expect(status == .haveData)
            }
            streams.append(converted)
        }
        #expect(streams[0] == streams[1] && streams[1] == streams[2])
        #expect(streams[0].count == (try samples).count)
    }

    @Test("takes what is no number as silence, and what is too loud as full scale")
    func noNumbers() throws {
        let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 16_000, channels: 1))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4))
        buffer.frameLength = 4
        for (frame, sample) in [Float.nan, .infinity, -.infinity, 0.5].enumerated() {
            buffer.floatChannelData?[0][frame] = sample
        }
        let expected: [Int16] = [0, 32_767, -32_768, 16_384]
        #expect(AnalyzerInput(buffer: buffer).buffer.samples == expected)
        let folder = TemporaryFolder()
        let url = URL(fileURLWithPath: folder.file("a.wav"))
        let file = try AVAudioFile(forWriting: url, settings: format.settings)
        try file.write(from: buffer)
        file.close()
        #expect(folder.bytes(of: "a.wav")?.suffix(8) == [0, 0, 0xFF, 0x7F, 0, 0x80, 0, 0x40])
    }

    @Test("gives a time for what is none, and the last there is for what is later")
    func noTimes() {
        #expect(CMTime(seconds: .nan, preferredTimescale: 600) == .zero && AudioTime(seconds: .nan) == .zero)
        #expect(CMTime(seconds: 1, preferredTimescale: 0) == .zero && CMTime(value: 1, timescale: 0) == .zero)
        for seconds in [Double.infinity, 1e18] {
            let (late, early) = (
                CMTime(seconds: seconds, preferredTimescale: 600), CMTime(seconds: -seconds, preferredTimescale: 600)
            )
            #expect(late.seconds > 1e15 && late == CMTime(value: .max, timescale: 600) && late + late == late)
            #expect(early.seconds < -1e15 && early - late == early && late - early == late)
            #expect(CMTimeRange(start: late, duration: late).isEmpty)
        }
    }

    @Test("adds, compares and converts times")
    func times() {
        let time = CMTime(value: 3, timescale: 2)
        #expect(time.seconds == 1.5 && CMTime(seconds: 1.5, preferredTimescale: 600) == time)
        #expect(CMTimeAdd(time, CMTimeMake(value: 1, timescale: 4)) == CMTime(seconds: 1.75, preferredTimescale: 1000))
        #expect(CMTimeSubtract(time, time) == .zero && AudioTime(seconds: 1.5) == time)
        let range = CMTimeRange(start: time, duration: CMTimeMakeWithSeconds(2, preferredTimescale: 10))
        #expect(range.end.seconds == 3.5 && range == CMTimeRangeMake(start: time, duration: range.duration))
        #expect(CMTimeRange(start: range.end, end: range.start).isEmpty)
    }
}
