import AVFoundation
import Foundation
import Speech

/// Of OSLog.
struct Logger: Sendable {
    init(subsystem: String, category: String) {}
    func error(_ message: LogMessage) {}
    func notice(_ message: LogMessage) {}
    func info(_ message: LogMessage) {}
    func debug(_ message: LogMessage) {}
}

struct LogMessage: ExpressibleByStringInterpolation {
    enum Privacy { case `public` }
    struct StringInterpolation: StringInterpolationProtocol {
        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) {}
        mutating func appendInterpolation(_ value: Any, privacy: Privacy = .public) {}
    }
    init(stringInterpolation: StringInterpolation) {}
    init(stringLiteral value: String) {}
}

/// Apple's custom language models, which this library has not.
enum SFSpeechLanguageModel {
    struct Configuration: Sendable {}
}

extension DictationTranscriber.ContentHint {
    static func customizedLanguage(modelConfiguration: SFSpeechLanguageModel.Configuration) -> Self { .shortForm }
}

protocol CustomVocabularyCompiling {}
struct CustomVocabularyCompiler: CustomVocabularyCompiling {}
public struct CustomVocabulary {}

/// Of AVFoundation's capture, which AuralKit uses from Swift 6.4 on.
final class AVCaptureSession {}

@main
struct Main {
    @MainActor
    static func main() async throws {
        let session = SpeechSession(locale: Locale(identifier: "en-US"))
        session.configureVoiceActivation()
        let file = URL(fileURLWithPath: CommandLine.arguments[1])
        let results = try await session.transcribe(
            audioFile: file,
            options: FileTranscriptionOptions(allowedDirectories: [file.deletingLastPathComponent()]))
        print(results.map { String($0.text.characters) }.joined())
    }
}
