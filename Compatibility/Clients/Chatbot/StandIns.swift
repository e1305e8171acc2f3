import AVFoundation
import Speech

/// Of the rest of the program, as the sample of Apple's has it.
final class BufferConverter {
    private var converter: AVAudioConverter?

    func convertBuffer(_ buffer: AVAudioPCMBuffer, to format: AVAudioFormat) throws -> AVAudioPCMBuffer {
        let converter = converter ?? AVAudioConverter(from: buffer.format, to: format)!
        self.converter = converter
        let output = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: buffer.frameLength)!
        var isDone = false
        converter.convert(to: output, error: nil) { _, status in
            defer { isDone = true }
            status.pointee = isDone ? .noDataNow : .haveData
            return isDone ? nil : buffer
        }
        return output
    }
}

/// Of the rest of the program.
protocol BLSpeechRecognizerDelegate: AnyObject {
    func recognized(text: String, isFinal: Bool)
    func speechRecognizer(error: any Error)
}

enum SpeechRecognizerError: Error { case audioInputFailure(String) }

/// Sets up the sound of a telephone.
enum AudioSessionManager {
    struct Configuration { var detectBluetooth: Bool }
    static func configureAudioSession(configuration: Configuration) throws {}
    static func configureVoiceProcessing(on engine: AVAudioEngine) {}
    static func deactivateAudioSession() {}
}

@main
struct Main {
    static func main() async throws {
        let recognizer = VoiceChatbotRecognizer(locale: Locale(identifier: "en-US"))
        try await recognizer.start()
        let seconds = Double(ProcessInfo.processInfo.environment["SECONDS_TO_LISTEN"] ?? "") ?? 12
        try await Task.sleep(for: .seconds(seconds))
        await recognizer.stop()
    }
}
