// Live captions, from the microphone until Enter, or from a WAV file. The code is as short as with Apple's Speech framework.
//     swift run LiveCaptions [AudioFixtures/memo.wav]
import Audio
import Foundation
import Speech

@main
struct LiveCaptions {
    static func main() async throws {
        let transcriber = SpeechTranscriber(
            locale: Locale(identifier: "en-US"), preset: .timeIndexedProgressiveTranscription)
        let analyzer = SpeechAnalyzer(modules: [transcriber])

        let captions = Task {
            for try await result in transcriber.results {
                let mark = result.isFinal ? String(format: "%7.2f s  ", result.range.start.seconds) : "           … "
                print(mark + String(result.text.characters).trimmingCharacters(in: .whitespaces))
            }
        }

        if let path = CommandLine.arguments.dropFirst().first {
            try await analyzer.start(inputAudioFile: AudioFile(path: path))
        } else {
            let tap = CaptureTap()
            try await tap.start()
            try await analyzer.start(inputSequence: tap.blocks.map { AnalyzerInput(buffer: $0) })
            _ = readLine()
            await tap.stop()
        }
        try await analyzer.finalizeAndFinishThroughEndOfInput()
        try await captions.value
    }
}
