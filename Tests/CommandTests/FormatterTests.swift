import Foundation
import Synchronization
import TestSupport
import Testing

@testable import utter

struct FormatterTests {
    private let hello = TranscribedSegment(
        text: "hello world", language: "en", start: 0.3, end: 1.1699999999999999, confidence: 0.98765,
        words: [
            TranscribedWord(text: "hello", start: 0.3, end: 0.75, confidence: 1),
            TranscribedWord(text: "world", start: 0.8, end: 1.1699999999999999, confidence: nil),
        ])
    private let bye = TranscribedSegment(
        text: "bye", start: 2, end: 2.5, alternatives: [.init(text: "buy", confidence: 0.5), .init(text: "by")],
        channel: 2)

    private func write(_ format: OutputFormat, _ segments: [TranscribedSegment], labels: Bool = false) -> String {
        var formatter = format.makeFormatter(TranscriptLabels(channels: labels))
        var result = formatter.begin(file: "a \"b\".wav", model: "tiny")
        for segment in segments { result += formatter.segment(segment) }
        return result + formatter.end(duration: 3.004)
    }

    @Test("A text of several sentences is divided at their ends and at long pauses, with its words and times")
    func sentences() {
        let words = ["Hello", "there.", "It", "is", "so,", "and", "ends."].enumerated().map { index, text in
            // A pause of two seconds before the word `and`.
            let start = Double(index) + (index > 4 ? 2 : 0)
            return TranscribedWord(text: text, start: start, end: start + 0.8)
        }
        var whole = TranscribedSegment(
            text: words.map(\.text).joined(separator: " "), start: 0, end: 9.5, confidence: 0.5, words: words,
            spokenAt: Date(timeIntervalSince1970: 100))
        let parts = whole.sentences
        #expect(parts.map(\.text) == ["Hello there.", "It is so,", "and ends."])
        #expect(parts.map(\.start) == [0, 2, 7] && parts.map(\.end) == [1.8, 4.8, 9.5])
        #expect(parts.flatMap(\.words) == words && parts.allSatisfy { $0.confidence == 0.5 })
        #expect(parts.map { $0.spokenAt?.timeIntervalSince1970 } == [100, 102, 107])
        #expect(hello.sentences == [hello] && bye.sentences == [bye])
        // In a script without spaces between words.
        whole.text = "Hellothere.Itisso,andends."
        #expect(whole.sentences == [whole])
    }

    @Test("Text is one utterance a line, labelled when channels are separate")
    func text() {
        #expect(write(.text, [hello, bye]) == "hello world\n[2] bye\n")
        #expect(write(.text, []) == "")
    }

    @Test("TSV has a header, seconds with two decimals, and a channel on request")
    func tsv() {
        #expect(write(.tsv, [hello]) == "start\tend\ttext\n0.30\t1.17\thello world\n")
        #expect(
            write(.tsv, [hello, bye], labels: true)
                == "start\tend\ttext\tchannel\n0.30\t1.17\thello world\t\n2.00\t2.50\tbye\t2\n")
    }

    @Test("When several recordings follow each other, text and tables name each, and a table has one header")
    func severalFiles() throws {
        func write(_ format: OutputFormat) throws -> String {
            let written = Mutex("")
            let labels = TranscriptLabels(files: true)
            let output = OrderedOutput(
                head: format.head(labels), separator: format.separator(labels)
            ) { text in written.withLock { $0 += text } }
            // The second recording is written first, and nothing is heard in the third.
            for (index, file) in [(1, "b\n"), (0, "a"), (2, "c")] {
                var formatter = format.makeFormatter(labels)
                try output.write(formatter.begin(file: file, model: "m"), for: index)
                if index < 2 { try output.write(formatter.segment(hello), for: index) }
                try output.write(formatter.end(duration: 1), for: index)
                try output.finish(index)
            }
            return written.withLock { $0 }
        }
        #expect(try write(.text) == "==> a <==\nhello world\n\n==> b <==\nhello world\n\n==> c <==\n")
        #expect(try write(.tsv) == "start\tend\ttext\tfile\n0.30\t1.17\thello world\ta\n0.30\t1.17\thello world\tb\n")
    }

    @Test("Tabs, newlines and control characters in a text can't break a line, and an empty text has no line")
    func neutralised() {
        let odd = TranscribedSegment(text: "\ta\tb\r\nc\u{2028}d\u{0}e\u{85} ", start: 0, end: 1)
        let empty = TranscribedSegment(text: " \n", start: 0, end: 1)
        #expect(write(.text, [odd, empty]) == "a b c d e\n")
        #expect(write(.tsv, [odd, empty]) == "start\tend\ttext\n0.00\t1.00\ta b c d e\n")
        #expect(write(.srt, [empty]) == "")
    }

    @Test("JSON is one object with a segment a line, in a fixed order of keys")
    func json() {
        #expect(
            write(.json, [hello, bye]) == #"""
                {"file":"a \"b\".wav","model":"tiny","segments":[
                {"text":"hello world","language":"en","start":0.3,"end":1.17,"confidence":0.988,"words":[{"text":"hello","start":0.3,"end":0.75,"confidence":1},{"text":"world","start":0.8,"end":1.17}]},
                {"text":"bye","start":2,"end":2.5,"channel":2,"words":[],"alternatives":[{"text":"buy","confidence":0.5},{"text":"by"}]}
                ],"text":"hello world\n[2] bye","duration":3}

                """#)
    }

    @Test("JSON lines are one event a line, and the last is the end")
    func jsonLines() {
        #expect(
            write(.jsonl, [bye]) == #"""
                {"type":"segment","file":"a \"b\".wav","text":"bye","start":2,"end":2.5,"channel":2,"words":[],"alternatives":[{"text":"buy","confidence":0.5},{"text":"by"}]}
                {"type":"end","file":"a \"b\".wav","duration":3,"model":"tiny"}

                """#)
    }

    @Test("SubRip numbers its cues, WebVTT has a header and voices")
    func subtitles() {
        #expect(
            write(.srt, [hello, bye]) == """
                1
                00:00:00,300 --> 00:00:01,300
                hello world

                2
                00:00:02,000 --> 00:00:03,000
                [2] bye


                """)
        #expect(
            write(.vtt, [hello, bye]) == """
                WEBVTT

                00:00:00.300 --> 00:00:01.300
                hello world

                00:00:02.000 --> 00:00:03.000
                <v Channel 2>bye


                """)
    }

    @Test("WebVTT escapes its marks; SubRip has no text that looks like times")
    func escapes() {
        let odd = TranscribedSegment(text: "a & <b> -->", start: 3600 * 100, end: 3600 * 100 + 1)
        #expect(write(.vtt, [odd]).contains("100:00:00.000 --> 100:00:01.000\na &amp; &lt;b&gt; --&gt;\n\n"))
        #expect(write(.srt, [odd]).contains("\na & <b> →\n\n"))
    }

    @Test(
        "Whatever the texts and numbers, JSON is valid and has the same values", arguments: [OutputFormat.json, .jsonl])
    func validJSON(_ format: OutputFormat) throws {
        var generator = SplitMix64(for: #function)
        for _ in 0..<60 {
            let segments = (0..<Int.random(in: 0...5, using: &generator)).map { index in
                var segment = generator.segment(
                    from: Double(index) * 10, maximumWords: 4, channel: Bool.random(using: &generator) ? index : nil)
                segment.text = generator.text()
                segment.confidence = [nil, 0.5, .nan, .infinity, 1 / 3].randomElement(using: &generator)!
                segment.alternatives = [.init(text: generator.text(), confidence: nil)]
                return segment
            }
            let output = write(format, segments)
            let texts: [String]
            if format == .json {
                let object = try #require(JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
                #expect(object["file"] as? String == "a \"b\".wav")
                #expect(object["duration"] as? Double == 3)
                texts = try #require(object["segments"] as? [[String: Any]]).compactMap { $0["text"] as? String }
            } else {
                let lines = try output.split(separator: "\n").map {
                    try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
                #expect(lines.last?["type"] as? String == "end")
                texts = lines.dropLast().compactMap { $0["text"] as? String }
            }
            #expect(texts == segments.map(\.text))
        }
    }

    @Test("A formatter can be used again for another recording", arguments: OutputFormat.allCases)
    func reuse(_ format: OutputFormat) {
        var formatter = format.makeFormatter()
        let twice = (0..<2).map { _ in
            formatter.begin(file: "a \"b\".wav", model: "tiny") + formatter.segment(hello) + formatter.segment(bye)
                + formatter.end(duration: 3.004)
        }
        #expect(twice[0] == twice[1])
        #expect(twice[0] == write(format, [hello, bye]))
    }

    @Test("At most one cue is held back, and nothing else")
    func streaming() {
        var srt = OutputFormat.srt.makeFormatter()
        _ = srt.begin(file: "a", model: "m")
        #expect(srt.segment(hello) == "")
        var next = bye
        next.channel = nil
        #expect(srt.segment(next).contains("hello world"))
        for format in [OutputFormat.text, .json, .jsonl, .tsv, .md] {
            var formatter = format.makeFormatter()
            _ = formatter.begin(file: "a", model: "m")
            #expect(formatter.segment(hello).contains("hello world"))
        }
    }
}
