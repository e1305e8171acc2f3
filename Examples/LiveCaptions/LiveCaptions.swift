// Live captions from a WAV file, as short as against Apple's framework:
//     swift run LiveCaptions AudioFixtures/memo.wav
import Foundation
import Speech

@main
struct LiveCaptions {
    static func main() async throws {
        guard let path = CommandLine.arguments.dropFirst().first else {
            FileHandle.standardError.write(Data("usage: LiveCaptions FILE.wav\n".utf8))
            exit(64)
        }
        let transcriber = SpeechTranscriber(
            locale: Locale(identifier: "en-US"), preset: .timeIndexedProgressiveTranscription)
        let analyzer = SpeechAnalyzer(modules: [transcriber])

        let captions = Task {
            var transcript = Transcript()
            for try await result in transcriber.results {
                transcript.apply(result)
                if result.isFinal {
                    let start = result.words.first?.range.lowerBound.seconds ?? result.range.lowerBound.seconds
                    print(String(format: "%7.2f s  %@", start, String(result.text.characters)))
                } else {
                    print("           … \(String(transcript.volatile.characters))")
                }
            }
        }

        try await analyzer.start(inputAudioFile: AudioFile(path: path))
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        try await captions.value
    }
}
