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

    /// Parses subtitles strictly.
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
        "Whatever is said, cues have two lines of 42 columns at most, are in order, don't overlap, and have every letter",
        arguments: [OutputFormat.srt, .vtt], [nil, 1, 12])
    func limits(_ format: OutputFormat, _ channel: Int?) throws {
        var generator = SplitMix64(for: #function)
        for _ in 0..<Tier.count(2, long: 40) {
            var formatter = format.makeFormatter()
            var output = formatter.begin(file: "a.wav", model: "m")
            var said = ""
            var time = 0.0
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                // No cue has more of them.
                let segment = generator.segment(from: time, maximumWords: 20, channel: channel)
                output += formatter.segment(segment)
                said += segment.words.map(\.text).joined()
                // Some utterances overlap, as with two channels.
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

    @Test("A cue is cut at a long pause even if all would fit, but not at a short one")
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

    @Test("A word wider than a line is cut, and its time is divided")
    func longWord() {
        let word = String(repeating: "x", count: 100)
        let segment = TranscribedSegment(
            text: word, start: 0, end: 10, words: [TranscribedWord(text: word, start: 0, end: 10, confidence: nil)])
        let cues = CueSplitter().cues(of: segment)
        #expect(cues.flatMap(\.lines).map(\.count) == [42, 42, 16])
        #expect(cues.first?.start == 0 && cues.last?.end == 10)
    }

    @Test("Without spaces between words, lines break after a mark or between characters, and no mark begins one")
    func withoutSpaces() throws {
        let said = "今日は天気がとても良いので、午後から公園へ散歩に行きました。そこで友達に会って、一緒にコーヒーを飲みながら話しました。"
        let segment = TranscribedSegment(text: said, start: 0, end: 12, words: [])
        for format in [OutputFormat.srt, .vtt] {
            var formatter = format.makeFormatter()
            let output = formatter.begin(file: "a.wav", model: "m") + formatter.segment(segment)
            let found = try cues(in: output + formatter.end(duration: 12), format)
            let lines = found.flatMap(\.lines)
            #expect(lines.joined() == said)
            #expect(lines.allSatisfy { displayWidth($0) <= 42 && !"、。".contains($0.first!) }, "\(lines)")
            #expect(lines.contains("今日は天気がとても良いので、"), "\(lines)")
            #expect(found[0].lines.last?.hasSuffix("。") == true, "\(lines)")
        }
        let mixed = TranscribedSegment(text: "明日は Swift の日です。 Hello world", start: 0, end: 4, words: [])
        var formatter = OutputFormat.srt.makeFormatter()
        let text = formatter.begin(file: "a.wav", model: "m") + formatter.segment(mixed) + formatter.end(duration: 4)
        #expect(text.contains("明日は Swift の日です。 Hello world\n"), "\(text)")
    }

    @Test("Without times of words, the utterance's time is divided")
    func withoutWords() {
        let text = Array(repeating: "word", count: 30).joined(separator: " ")
        let cues = CueSplitter().cues(of: TranscribedSegment(text: text, start: 5, end: 17))
        #expect(cues.count > 1)
        #expect(cues.first?.start == 5 && cues.last?.end == 17)
        #expect(cues.flatMap(\.lines).joined(separator: " ") == text)
    }

    @Test("A cue stays for a second if the next one comes late enough, and no longer than the recording")
    func durations() {
        var timing = CueTiming()
        #expect(timing.add("a", start: 1, end: 1.2) == nil)
        #expect(timing.add("b", start: 5, end: 5.1) == .init(text: "a", start: 1000, end: 2000))
        #expect(timing.add("c", start: 5.5, end: 5.6) == .init(text: "b", start: 5000, end: 5500))
        #expect(timing.finish(duration: 6) == .init(text: "c", start: 5500, end: 6000))
        #expect(timing.finish(duration: 6) == nil)
    }

    @Test("When two people talk at once, the later cue waits until the first has been shown long enough to read")
    func overlaps() {
        var timing = CueTiming()
        _ = timing.add("a", start: 1, end: 4)
        #expect(timing.add("b", start: 1.2, end: 3) == .init(text: "a", start: 1000, end: 2000))
        #expect(timing.add("c", start: 1.2, end: 1.2) == .init(text: "b", start: 2000, end: 3000))
        #expect(timing.finish(duration: 4) == .init(text: "c", start: 3000, end: 4000))
    }

    /// An utterance of `count` words of five letters in a channel, from `start` to `end`.
    private func spoken(_ count: Int, _ letter: String, from start: Double, to end: Double, channel: Int)
        -> TranscribedSegment
    {
        let length = (end - start) / Double(count)
        let words = (0..<count).map { index in
            TranscribedWord(
                text: String(repeating: letter, count: 5), start: start + Double(index) * length,
                end: start + Double(index + 1) * length)
        }
        return TranscribedSegment(
            text: words.map(\.text).joined(separator: " "), start: start, end: end, words: words, channel: channel)
    }

    private func subtitles(_ segments: [TranscribedSegment], _ format: OutputFormat, duration: Double) throws -> [Cue] {
        var formatter = format.makeFormatter(TranscriptLabels(channels: true))
        let head = formatter.begin(file: "a.wav", model: "m")
        let body = segments.map { formatter.segment($0) }.joined()
        return try cues(in: head + body + formatter.end(duration: duration), format)
    }

    @Test(
        "Two who talk at once share a cue in SubRip, with a line each, as long as both take to read; WebVTT shows both cues"
    )
    func atOnce() throws {
        let segments = [spoken(4, "a", from: 0.48, to: 3.3, channel: 1), spoken(6, "b", from: 0.6, to: 3, channel: 2)]
        let srt = try subtitles(segments, .srt, duration: 10)
        #expect(srt.map(\.lines) == [["[1] aaaaa aaaaa aaaaa aaaaa", "[2] bbbbb bbbbb bbbbb bbbbb bbbbb bbbbb"]])
        // The texts have 66 columns, which are read at 20 a second.
        #expect(srt.map(\.start) == [480] && srt.map(\.end) == [3780])
        let vtt = try subtitles(segments, .vtt, duration: 10)
        #expect(vtt.map(\.start) == [480, 600] && vtt.map(\.end) == [3300, 3000])
        #expect(vtt.map { $0.lines.count } == [1, 1])
    }

    @Test("What begins when the other's line could be read already has a cue of its own in SubRip, at its time")
    func afterReading() throws {
        func cues(secondFrom start: Double) throws -> [Cue] {
            // 33 columns are read in 1.65 s.
            try subtitles(
                [spoken(5, "a", from: 0.5, to: 4, channel: 1), spoken(4, "b", from: start, to: 5, channel: 2)], .srt,
                duration: 10)
        }
        let later = try cues(secondFrom: 2.2)
        #expect(later.map(\.start) == [500, 2200] && later.map(\.end) == [2200, 5000])
        #expect(later.map(\.lines) == [["[1] aaaaa aaaaa aaaaa aaaaa aaaaa"], ["[2] bbbbb bbbbb bbbbb bbbbb"]])
        #expect(try cues(secondFrom: 2.1).map(\.lines.count) == [2])
    }

    @Test("An utterance that begins when the other has nearly ended comes after it, and each alone has two lines")
    func nearlyAfter() throws {
        let segments = [spoken(12, "a", from: 0, to: 5, channel: 1), spoken(3, "b", from: 5.5, to: 7, channel: 2)]
        #expect(try subtitles(segments, .srt, duration: 10).map { $0.lines.count } == [2, 1])
        let close = [spoken(5, "a", from: 0, to: 3, channel: 1), spoken(5, "b", from: 2.9, to: 6, channel: 2)]
        let cues = try subtitles(close, .srt, duration: 10)
        #expect(cues.map(\.start) == [0, 2900] && cues.map(\.end) == [2900, 6000])
    }

    @Test(
        "However people overlap, no two cues of SubRip are shown at once, none has a channel twice, and none is too short"
    )
    func crosstalk() throws {
        var generator = SplitMix64(for: #function)
        for _ in 0..<Tier.count(20, long: 200) {
            var segments: [TranscribedSegment] = []
            for channel in 1...3 {
                var time = Double.random(in: 0...3, using: &generator)
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let count = Int.random(in: 1...60, using: &generator)
                    let end = time + Double(count) * Double.random(in: 0.25...0.5, using: &generator)
                    segments.append(spoken(count, ["a", "b", "c"][channel - 1], from: time, to: end, channel: channel))
                    time = end + Double.random(in: 0.2...4, using: &generator)
                }
            }
            segments.sort { $0.start < $1.start }
            let said = segments.reduce(0) { $0 + $1.words.count }
            for format in [OutputFormat.srt, .vtt] {
                let cues = try subtitles(segments, format, duration: 60)
                #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.start <= $1.start })
                if format == .srt { #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.end <= $1.start }) }
                for cue in cues {
                    #expect(cue.end - cue.start >= CueTiming.visible)
                    #expect(cue.lines.allSatisfy { displayWidth($0) <= 42 })
                    let labels = cue.lines.filter { $0.hasPrefix("[") }.map { $0.prefix(3) }
                    #expect(labels.count == Set(labels).count)
                }
                let shown = cues.flatMap(\.lines).flatMap { $0.split(separator: " ") }.filter { !$0.hasPrefix("[") }
                #expect(shown.count == said)
            }
        }
    }

    @Test("Times that are not numbers don't trap")
    func oddTimes() {
        var timing = CueTiming()
        _ = timing.add("a", start: .nan, end: -.infinity)
        #expect(timing.add("b", start: -4, end: .infinity) == .init(text: "a", start: 0, end: 100))
        #expect(timing.finish(duration: .nan) != nil)
    }
}
