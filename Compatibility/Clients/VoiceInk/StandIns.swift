import Foundation

/// Of `os`.
struct Logger: Sendable {
    init(subsystem: String, category: String) {}
    func error(_ message: LogMessage) {}
    func warning(_ message: LogMessage) {}
}

struct LogMessage: ExpressibleByStringInterpolation {
    enum Privacy { case `public` }
    struct StringInterpolation: StringInterpolationProtocol {
        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) {}
        mutating func appendInterpolation(_ value: Any, privacy: Privacy) {}
    }
    init(stringInterpolation: StringInterpolation) {}
    init(stringLiteral value: String) {}
}

/// Of the rest of the program.
protocol TranscriptionModel {}
struct NativeAppleModel: TranscriptionModel {}
struct TranscriptionRequestContext { var language: String? }
protocol TranscriptionService {
    func transcribe(
        audioURL: URL, model: any TranscriptionModel, context: TranscriptionRequestContext
    ) async throws -> String
}
enum LanguageDictionary { static let appleNative: [String: String] = [:] }

extension String {
    /// Of Apple's Foundation.
    init(localized text: String) { self = text }
}

@main
struct Main {
    static func main() async throws {
        guard await NativeAppleSpeechAssetManager.prepareAssetForUse(for: "en-US") == .downloaded else {
            fatalError("no model")
        }
        print(
            try await NativeAppleTranscriptionService().transcribe(
                audioURL: URL(fileURLWithPath: CommandLine.arguments[1]), model: NativeAppleModel(),
                context: TranscriptionRequestContext(language: "en-US")))
    }
}
