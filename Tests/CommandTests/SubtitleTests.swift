import Foundation
import TestSupport
import Testing

@testable import utter

struct SubtitleTests {
    private struct Cue {
        var start: Int
        var end: Int
        var lines: [String]
    }

    /// Reads subtitles back, strictly.
    private func cues(in output: String, _ format: OutputFormat) throws -> [Cue] {
        var blocks = output.components(separatedBy: "\n\n")
        #expect(blocks.popLast() == "" || output.isEmpty)
        if format == .vtt { #expect(blocks.removeFirst() == "WEBVTT") }
        return try blocks.enumerated().map { index, block in
            var lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if format == .srt { #expect(lines.removeFirst() == String(index + 1)) }
            let pattern = /(\d+):(\d\d):(\d\d)[.,](\d\d\d) --> (\d+):(\d\d):(\d\d)[.,](\d\d\d)/
            let match = try #require(try pattern.wholeMatch(in: lines.removeFirst())).output
            let numbers = [match.1, match.2, match.3, match.4, match.5, match.6, match.7, match.8].map { Int($0)! }
            func time(_ part: ArraySlice<Int>) -> Int { part.dropLast().reduce(0) { $0 * 60 + $1 } * 1000 + part.last! }
            return Cue(start: time(numbers[..<4]), end: time(numbers[4...]), lines: lines.map(visible))
        }
    }

    /// A line as a viewer shows it.
    private func visible(_ line: String) -> String {
        line.replacing(/<v [^>]*>/, with: "").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }

    private func words(_ texts: [String], pauses: [Int: Double] = [:]) -> TranscribedSegment {
        var time = 0.0
        let words = texts.enumerated().map { index, text in
            time += pauses[index] ?? 0
            defer { time += 0.3 }
            return TranscribedWord(text: text, start: time, end: time + 0.3, confidence: nil)
        }
        return TranscribedSegment(text: texts.joined(separator: " "), start: 0, end: time, words: words)
    }

    @Test(
        "Whatever is said, cues have two lines of 42 columns at most, in order, apart, and hold every letter",
        arguments: [OutputFormat.srt, .vtt], [nil, 1, 12])
    func limits(_ format: OutputFormat, _ channel: Int?) throws {
        var generator = SplitMix64(for: #function)
        for _ in 0..<Tier.count(10, long: 40) {
            var formatter = format.makeFormatter()
            var output = formatter.begin(file: "a.wav", model: "m")
            var said = ""
            var time = 0.0
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                let segment = generator.segment(from: time, channel: channel)
                output += formatter.segment(segment)
                said += segment.words.map(\.text).joined()
                // Now and then two utterances at once, as two channels give.
                if Int.random(in: 0..<4, using: &generator) > 0 { time = segment.end }
            }
            output += formatter.end(duration: time)
            var last = 0
            var shown = ""
            for cue in try cues(in: output, format) {
                #expect((1...2).contains(cue.lines.count))
                for line in cue.lines {
                    #expect(displayWidth(line) <= 42, "\(line)")
                    #expect(!line.isEmpty)
                }
                #expect(cue.start >= last)
                #expect(cue.end >= cue.start + CueTiming.visible)
                last = cue.end
                var text = cue.lines.joined()
                if format == .srt, let channel {
                    #expect(text.hasPrefix("[\(channel)] "))
                    text = text.replacing("[\(channel)] ", with: "")
                }
                shown += text.filter { $0 != " " }
            }
            #expect(shown.replacing("→", with: "-->") == said)
        }
    }

    @Test("An utterance that doesn't fit is cut in its longest pause")
    func cutAtPause() {
        for pause in 6...14 {
            let texts = (1...20).map { "word\($0 % 10)" }
            let cues = CueSplitter().cues(of: words(texts, pauses: [pause: 0.5]))
            #expect(cues.count == 2)
            #expect(cues.first?.lines.joined(separator: " ") == texts[..<pause].joined(separator: " "))
        }
    }

    @Test("A long pause is cut in even when all would fit, a short one isn't")
    func longPause() {
        #expect(
            CueSplitter().cues(of: words(["one", "two", "three", "four", "five", "six"], pauses: [3: 2])).count == 2)
        #expect(
            CueSplitter().cues(of: words(["one", "two", "three", "four", "five", "six"], pauses: [3: 0.3])).count == 1)
    }

    @Test("Lines of a cue are as even as the words allow, the lower one longer")
    func evenLines() {
        let cues = CueSplitter().cues(of: words(["aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd", "ee"]))
        #expect(cues.map(\.lines) == [["aaaaaaaaaa bbbbbbbbbb", "cccccccccc dddddddddd ee"]])
        #expect(
            CueSplitter().cues(of: words([String(repeating: "a", count: 42)])).map(\.lines)
                == [[String(repeating: "a", count: 42)]])
    }

    @Test("A word wider than a line is cut and its time shared out")
    func longWord() {
        let word = String(repeating: "x", count: 100)
        let segment = TranscribedSegment(
            text: word, start: 0, end: 10, words: [TranscribedWord(text: word, start: 0, end: 10, confidence: nil)])
        let cues = CueSplitter().cues(of: segment)
        #expect(cues.flatMap(\.lines).map(\.count) == [42, 42, 16])
        #expect(cues.first?.start == 0 && cues.last?.end == 10)
    }

    @Test("Without times of words, the utterance's time is shared out")
    func withoutWords() {
        let text = Array(repeating: "word", count: 30).joined(separator: " ")
        let cues = CueSplitter().cues(of: TranscribedSegment(text: text, start: 5, end: 17))
        #expect(cues.count > 1)
        #expect(cues.first?.start == 5 && cues.last?.end == 17)
        #expect(cues.flatMap(\.lines).joined(separator: " ") == text)
    }

    @Test("A cue stays a second when the next one leaves it the time, and no longer than the recording")
    func durations() {
        var timing = CueTiming()
        #expect(timing.add("a", start: 1, end: 1.2) == nil)
        #expect(timing.add("b", start: 5, end: 5.1) == .init(text: "a", start: 1000, end: 2000))
        #expect(timing.add("c", start: 5.5, end: 5.6) == .init(text: "b", start: 5000, end: 5500))
        #expect(timing.finish(duration: 6) == .init(text: "c", start: 5500, end: 6000))
        #expect(timing.finish(duration: 6) == nil)
    }

    @Test("When two people talk at once the later cue waits until the first could be read")
    func overlaps() {
        var timing = CueTiming()
        _ = timing.add("a", start: 1, end: 4)
        #expect(timing.add("b", start: 1.2, end: 3) == .init(text: "a", start: 1000, end: 2000))
        #expect(timing.add("c", start: 1.2, end: 1.2) == .init(text: "b", start: 2000, end: 3000))
        #expect(timing.finish(duration: 4) == .init(text: "c", start: 3000, end: 4000))
    }

    @Test("Times that are not numbers don't trap")
    func oddTimes() {
        var timing = CueTiming()
        _ = timing.add("a", start: .nan, end: -.infinity)
        #expect(timing.add("b", start: -4, end: .infinity) == .init(text: "a", start: 0, end: 100))
        #expect(timing.finish(duration: .nan) != nil)
    }
}
