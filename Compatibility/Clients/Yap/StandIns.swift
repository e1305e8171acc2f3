import AVFoundation
import Foundation
import Speech

/// Of swift-argument-parser.
protocol EnumerableFlag: CaseIterable {}

/// Of Apple's NaturalLanguage, for English.
final class NLTokenizer {
    enum Unit { case word, sentence }
    var string: String?
    private let unit: Unit

    init(unit: Unit) { self.unit = unit }

    func tokens(for range: Range<String.Index>) -> [Range<String.Index>] {
        guard let string else { return [] }
        let ends: Set<Character> = unit == .word ? [" "] : [".", "?", "!"]
        var tokens: [Range<String.Index>] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let rest = string[start..<range.upperBound]
            let end = rest.firstIndex { ends.contains($0) }.map { string.index(after: $0) } ?? range.upperBound
            tokens.append(start..<end)
            start = end
        }
        return tokens
    }
}

@main
struct Main {
    static func main() async throws {
        let argument = CommandLine.arguments[1]
        if argument == "--microphone" { return try await dictate() }
        for format in [OutputFormat.txt, .srt] {
            print(
                try await TranscriptionEngine.transcribe(
                    file: URL(fileURLWithPath: argument),
                    options: .init(locale: Locale(identifier: "en-US"), outputFormat: format)))
        }
    }

    /// What `yap dictate` does between its options and its output.
    private static func dictate() async throws {
        let transcriber = SpeechTranscriber(locale: Locale(identifier: "en-US"), preset: .transcription)
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let (sequence, continuation) = AsyncStream.makeStream(of: AnalyzerInput.self)
        guard let format = await SpeechAnalyzer.bestAvailableAudioFormat(compatibleWith: [transcriber]) else {
            throw DictateError.noCompatibleAudioFormat
        }
        let capture = try MicrophoneCapture(targetFormat: format, inputContinuation: continuation)
        try capture.start()
        try await analyzer.start(inputSequence: sequence)
        try await Task.sleep(for: .seconds(Listening.seconds))
        capture.stop()
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        for try await result in transcriber.results { print(String(result.text.characters), terminator: "") }
        print()
    }
}

/// How long a client listens.
enum Listening {
    static let seconds = Double(ProcessInfo.processInfo.environment["SECONDS_TO_LISTEN"] ?? "") ?? 12
}
