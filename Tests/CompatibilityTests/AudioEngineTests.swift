import AVFoundation
import Audio
import Foundation
import Speech
import Synchronization
import TestSupport
import Testing

/// A microphone as code for Apple's frameworks uses it.
@Suite("The microphone of an audio engine")
struct AudioEngineTests {
    /// What a tap has received.
    private final class Heard: Sendable {
        private let state = Mutex<(samples: [Int16], lengths: [Int], times: [Int64])>(([], [], []))
        var samples: [Int16] { state.withLock { $0.samples } }
        var lengths: [Int] { state.withLock { $0.lengths } }
        var times: [Int64] { state.withLock { $0.times } }

        func add(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
            let samples = (0..<Int(buffer.frameLength)).map { Int16(buffer.floatChannelData![0][$0] * 32_768) }
            state.withLock {
                $0.samples += samples
                $0.lengths.append(samples.count)
                $0.times.append(time.sampleTime)
            }
        }
    }

    private func engine(_ microphone: FilePCM) -> AVAudioEngine {
        AVAudioEngine(
            CaptureConfiguration(device: microphone.deviceName, sampleRate: 48_000, sampleLimit: 480_000))
    }

    @Test("gives its tap every sample from the start on, and the last of them before a stop returns")
    func everySample() async throws {
        var numbers = SplitMix64(for: "audio engine")
        let played = (0..<100_000).map { _ in Int16.random(in: .min ... .max, using: &numbers) }
        let microphone = try FilePCM(played, silence: 480_000)
        let engine = engine(microphone)
        let format = engine.inputNode.outputFormat(forBus: 0)
        #expect(format.sampleRate == 48_000 && format.channelCount == 1 && format.commonFormat == .pcmFormatFloat32)
        let heard = Heard()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4_096, format: format) { heard.add($0, $1) }
        engine.prepare()
        #expect(!engine.isRunning)
        try engine.start()
        try await Patience.wait(for: "the sound") { heard.samples.count >= played.count }
        engine.stop()
        let atStop = heard.samples
        #expect(!engine.isRunning && Array(atStop.prefix(played.count)) == played)
        #expect(heard.lengths.dropLast().allSatisfy { $0 == 4_096 })
        #expect(heard.times.enumerated().allSatisfy { $1 == Int64($0 * 4_096) })
        engine.stop()
        engine.inputNode.removeTap(onBus: 0)
        #expect(heard.samples == atStop)
    }

    @Test("starts again after a pause, gives nothing to a tap that was removed, and ends when it is released")
    func again() async throws {
        let microphone = try FilePCM([Int16](repeating: 7, count: 48_000), silence: 480_000)
        var engine: AVAudioEngine? = engine(microphone)
        let (first, second) = (Heard(), Heard())
        engine?.inputNode.installTap(onBus: 0, bufferSize: 480, format: nil) { first.add($0, $1) }
        try engine?.start()
        try await Patience.wait(for: "the sound") { !first.samples.isEmpty }
        engine?.pause()
        engine?.inputNode.removeTap(onBus: 0)
        let before = first.samples
        engine?.inputNode.installTap(onBus: 0, bufferSize: 480, format: nil) { second.add($0, $1) }
        try engine?.start()
        try await Patience.wait(for: "the sound") { !second.samples.isEmpty }
        engine = nil
        #expect(first.samples == before && second.samples.first == 7)
    }

    @Test("that there is not makes the start fail with a sentence")
    func missing() {
        let engine = AVAudioEngine(CaptureConfiguration(device: "nowhere", sampleRate: 48_000))
        #expect(throws: (any Error).self) { try engine.start() }
        #expect(!engine.isRunning)
        engine.stop()
    }

    @Test("is heard, recorded and recognized as clients do it", .long)
    func recognized() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let microphone = try await VirtualMicrophone()
        let engine = AVAudioEngine(CaptureConfiguration(device: microphone.deviceName, sampleRate: 48_000))
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("utter-\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let format = engine.inputNode.outputFormat(forBus: 0)
        let file = try AVAudioFile(forWriting: url, settings: format.settings)
        let transcriber = SpeechTranscriber(model: ModelReference(path: root.path + "/Models/vosk-model-tiny-en"))
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let best: AVAudioFormat? = await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber])
        let target = try #require(best)
        let converter = try #require(AVAudioConverter(from: format, to: target))
        let (sequence, builder) = AsyncStream<AnalyzerInput>.makeStream()
        engine.inputNode.installTap(onBus: 0, bufferSize: 4_096, format: format) { buffer, _ in
            try? file.write(from: buffer)
            let capacity = AVAudioFrameCount(buffer.frameLength / 3 + 1)
            guard let output = AVAudioPCMBuffer(pcmFormat: target, frameCapacity: capacity) else { return }
            var isDone = false
            _ = converter.convert(to: output, error: nil) { _, status in
                defer { isDone = true }
                status.pointee = isDone ? .noDataNow : .haveData
                return isDone ? nil : buffer
            }
            builder.yield(AnalyzerInput(buffer: output))
        }
        try engine.start()
        try await analyzer.start(inputSequence: sequence)
        try await microphone.play(root.path + "/AudioFixtures/digits-awb.wav")
        engine.stop()
        file.close()
        builder.finish()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        var text: AttributedString = ""
        for try await result in transcriber.results where result.isFinal { text += result.text }
        #expect(String(text.characters) == "zero one eight zero three")
        let read = try AVAudioFile(forReading: url)
        #expect(read.length == file.length && read.length > 48_000)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1))
        for notOpen in [read, file] { #expect(throws: SpeechError.self) { try notOpen.write(from: buffer) } }
    }
}
