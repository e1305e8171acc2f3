import Foundation
import AVFoundation

@main
struct Main {
    static func main() async throws {
        let locale = Locale(identifier: "en-US")
        let manager = IOSAssetManager(locale: locale)
        if !(await manager.ensureAssetsAvailable()) { _ = try await manager.installIfNeeded() }
        let engine = IOSSpeechEngine(locale: locale)
        let file = try AVAudioFile(forReading: URL(fileURLWithPath: CommandLine.arguments[1]))
        let (chunks, builder) = AsyncStream<AudioChunk>.makeStream()
        while true {
            let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 4_096)!
            try file.read(into: buffer)
            if buffer.frameLength == 0 { break }
            let bytes = Data(bytes: buffer.floatChannelData![0], count: Int(buffer.frameLength) * 4)
            builder.yield(AudioChunk(bytes: bytes, sampleRate: file.processingFormat.sampleRate, channels: 1))
        }
        builder.finish()
        let printing = Task {
            for await result in engine.results where result.isFinal { print(result.text, terminator: "") }
            print()
        }
        try await engine.start(with: chunks)
        try await Task.sleep(for: .seconds(2))
        await engine.stop()
        await printing.value
    }
}
