import Foundation
import TestSupport
import Testing

@testable import Speech

@Suite("The rules of the second pass")
struct SecondPassRulesTests {
    @Test(
        "recognize silence, and keep a word that Whisper is sure of",
        arguments: [
            // Measured with the noise of a keyboard, loud and quiet, and of a room.
            (0.55, -1.86, true), (0.83, -0.89, true), (0.92, -0.61, true),
            // Measured with words: alone, quiet, and in noise.
            (0.06, -0.10, false), (0.63, -0.83, false), (0.53, -1.15, false), (0.43, -1.7, false), (0.5, -0.84, false),
        ])
    func silence(_ noSpeech: Double, _ logProbability: Double, _ isSilence: Bool) {
        #expect(WhisperSilence.isFound(noSpeech: noSpeech, logProbability: logProbability) == isSilence)
    }

    @Test("detect a text that repeats itself, as zlib's ratio does, and no text that people say")
    func repetition() async throws {
        let said =
            Fixture.all.map(\.transcript) + [
                "For a full hour he had paced up and down, waiting, but he could wait no longer.",
                "I have nothing to say to you, said the king, and the queen had nothing to say to the king either.",
                "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
            ]
        for text in said { #expect(!Repetition.isFound(in: text), "\(text)") }
        for phrase in ["you ", "thank you very much ", "and so he went to the house of his father, "] {
            let loop = String(repeating: phrase, count: 200 / phrase.count + 3)
            let ratio = try await zlibRatio(loop)
            #expect(
                Repetition.isFound(in: loop) && abs(Repetition.compressionRatio(of: loop) / ratio - 1) < 0.2,
                "\(phrase): \(ratio)")
        }
        #expect(Repetition.compressionRatio(of: "") == 0)
    }

    /// The ratio of compression of the real zlib, through Python.
    private func zlibRatio(_ text: String) async throws -> Double {
        let script = "import sys,zlib;b=sys.argv[1].encode();print(len(b)/len(zlib.compress(b)),end='')"
        let program = try Program(["python3", "-c", script, text], environment: ProcessInfo.processInfo.environment)
        return try #require(Double(try await program.finish().output))
    }

    private func timed(_ text: String, _ times: [Range<Int64>]) -> [WordAlignment.Timed] {
        zip(text.split(separator: " "), times).map { (String($0), $1) }
    }

    @Test("set the time of each word of the second pass to that of the first pass's word there")
    func alignment() {
        let first = timed("for a full hour", [100..<200, 200..<250, 260..<400, 450..<700])
        let same = WordAlignment.align(["For", "a", "full", "hour."], to: first, in: 0..<1000)
        #expect(same == first.map(\.range))

        let date = timed("may second nineteen sixty five", [0..<100, 100..<300, 300..<500, 500..<600, 600..<800])
        let written = WordAlignment.align(["May", "2,", "1965"], to: date, in: 0..<900)
        #expect(written == [0..<100, 100..<300, 300..<800])
        let short = WordAlignment.align(["(Sec.", "1965)"], to: Array(date.dropFirst()), in: 0..<900)
        #expect(short == [100..<300, 300..<800])

        let more = WordAlignment.align(["for", "a", "very", "full", "hour"], to: first, in: 0..<1000)
        #expect(more[0] == 100..<200 && more[3] == 260..<400 && more[4] == 450..<700)

        let alone = WordAlignment.align(["Hello", "you"], to: [], in: 50..<1050)
        #expect(alone == [50..<650, 650..<1050])
        #expect(WordAlignment.align([], to: first, in: 0..<1000).isEmpty)
    }

    @Test("keep all times in order and inside the utterance, for random texts and times")
    func randomAlignment() {
        var generator = SplitMix64(for: "alignment")
        for _ in 0..<Tier.count(2_000, long: 100_000) {
            let range =
                Int64.random(in: 0...5_000, using: &generator)..<Int64.random(in: 5_000...20_000, using: &generator)
            let words = ["a", "b", "c", "d", "e", "f"]
            let first = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                let start = Int64.random(in: 0...20_000, using: &generator)
                return (
                    text: words.randomElement(using: &generator)!,
                    range: start..<(start + .random(in: 0...2_000, using: &generator))
                )
            }
            let second = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                words.randomElement(using: &generator)!.uppercased() + ","
            }
            let aligned = WordAlignment.align(second, to: first, in: range)
            #expect(aligned.count == second.count)
            var end = range.lowerBound
            for word in aligned {
                #expect(
                    word.lowerBound >= end && word.upperBound <= range.upperBound, "\(first) \(second) \(range)")
                end = word.upperBound
            }
        }
    }
}
