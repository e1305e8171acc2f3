import Foundation
import TestSupport
import Testing

@testable import utter

/// Tests of who speaks, and of overlaps, in every format.
struct SpeakerTests {
    private let mine = TranscribedSegment(text: "hello", start: 0, end: 4, channel: 1, speaker: "me")
    private let theirs = TranscribedSegment(
        text: "good morning", start: 1, end: 3, channel: 2, speaker: "them", overlaps: true)

    private func write(_ format: OutputFormat, _ segments: [TranscribedSegment], names: Bool = true) -> String {
        var formatter = format.makeFormatter(TranscriptLabels(channels: true, speakers: names))
        var result = formatter.begin(file: "a.wav", model: "tiny")
        for segment in segments { result += formatter.segment(segment) }
        return result + formatter.end(duration: 8)
    }

    @Test("Text has the name of the channel in place of its number, and says what overlaps")
    func text() {
        #expect(write(.text, [mine, theirs]) == "[me] hello\n[them, overlapping] good morning\n")
        var unnamed = theirs
        unnamed.speaker = nil
        #expect(write(.text, [unnamed]) == "[2, overlapping] good morning\n")
    }

    @Test("A table keeps the number, and has the name in a column of its own where there are names")
    func table() {
        #expect(
            write(.tsv, [mine, theirs])
                == "start\tend\ttext\tchannel\tspeaker\n0.00\t4.00\thello\t1\tme\n1.00\t3.00\tgood morning\t2\tthem\n")
        var formatter = OutputFormat.tsv.makeFormatter(TranscriptLabels(channels: true, speakers: true, files: true))
        #expect(
            OutputFormat.tsv.head(TranscriptLabels(channels: true, speakers: true, files: true))
                == "start\tend\ttext\tchannel\tspeaker\tfile\n")
        _ = formatter.begin(file: "a", model: "m")
        var unnamed = mine
        unnamed.speaker = nil
        #expect(formatter.segment(unnamed) == "0.00\t4.00\thello\t1\t\ta\n")
        #expect(write(.tsv, [unnamed], names: false) == "start\tend\ttext\tchannel\n0.00\t4.00\thello\t1\n")
    }

    @Test("JSON has the name beside the number, and an overlap where there is one")
    func json() {
        #expect(
            write(.jsonl, [mine, theirs]) == #"""
                {"type":"segment","file":"a.wav","text":"hello","start":0,"end":4,"channel":1,"speaker":"me","words":[]}
                {"type":"segment","file":"a.wav","text":"good morning","start":1,"end":3,"channel":2,"speaker":"them","overlaps":true,"words":[]}
                {"type":"end","file":"a.wav","duration":8,"model":"tiny"}

                """#)
        #expect(write(.json, [mine, theirs]).contains(#""text":"[me] hello\n[them, overlapping] good morning""#))
    }

    @Test("SubRip's shared cue and WebVTT's voices have the names")
    func subtitles() {
        #expect(
            write(.srt, [mine, theirs])
                == "1\n00:00:00,000 --> 00:00:04,000\n[me] hello\n[them] good morning\n\n")
        #expect(
            write(.vtt, [mine, theirs])
                == "WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v me>hello\n\n00:00:01.000 --> 00:00:03.000\n"
                + "<v them>good morning\n\n")
    }

    @Test("A name is one line, and no part of it is taken for a mark of the format")
    func hostileNames() {
        var odd = mine
        odd.speaker = "a]\n[b\t<i>&--> {\\an8}\u{1B}[31m\u{202E}"
        #expect(write(.text, [odd]) == "[a) (b <i>&--> {\\an8} (31m\\u{202E}] hello\n")
        #expect(write(.tsv, [odd]).hasSuffix("\thello\t1\ta] [b <i>&--> {\\an8} [31m\\u{202E}\n"))
        #expect(write(.vtt, [odd]).contains("\n<v a] [b &lt;i&gt;&amp;--&gt; {\\an8} [31m\\u{202E}>hello\n"))
        #expect(write(.srt, [odd]).contains("\n[a) (b (i)&--) (\\an8…] hello\n"))
        #expect(write(.md, [odd]).hasPrefix(#"**a\] \[b \<i\>\&--\> {\\an8} \[31m\\u{202E}** (0:00:00) hello"#))
        #expect(write(.jsonl, [odd]).contains(#""speaker":"a]\n[b\t<i>&--> {\\an8}\u001b[31m\u202e""#))
    }

    @Test("However long a name is, a line of subtitles has 42 columns at most")
    func longNames() {
        var generator = SplitMix64(for: #function)
        for _ in 0..<Tier.count(20, long: 200) {
            var formatter = OutputFormat.srt.makeFormatter(TranscriptLabels(channels: true, speakers: true))
            _ = formatter.begin(file: "a", model: "m")
            var segments = (1...2).map { generator.segment(from: Double($0), maximumWords: 9, channel: $0) }
            for index in segments.indices { segments[index].speaker = generator.text(maximumLength: 80) + "x" }
            let output = segments.map { formatter.segment($0) }.joined() + formatter.end(duration: 60)
            let lines = output.split(separator: "\n").filter { $0.hasPrefix("[") }
            #expect(lines.allSatisfy { displayWidth($0) <= 42 }, "\(lines)")
        }
    }

    /// What other programs make of the subtitles and of the JSON.
    @Test("Other programs read the names and the overlaps", .needs("jq"), .needs("ffmpeg"))
    func otherPrograms() async throws {
        let folder = TemporaryFolder()
        let environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        func run(_ words: String..., on format: OutputFormat, _ text: String) async throws -> String {
            let path = folder.put(text, in: "a.\(format.fileExtension)")
            let finished = try await Program(words.map { $0 == "FILE" ? path : $0 }, environment: environment).finish()
            #expect(finished.end == .exited(0) && finished.errors == "", "\(finished.errors)")
            return finished.output
        }
        var named = theirs
        named.speaker = "Ann & <Bob>"
        for format in [OutputFormat.srt, .vtt] {
            let packets = try await run(
                "ffprobe", "-v", "error", "-show_entries", "packet=pts_time,duration_time", "-of", "csv=p=0", "FILE",
                on: format, write(format, [mine, named]))
            #expect(
                packets.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
                    == (format == .srt ? [0, 4] : [0, 4, 1, 2]))
            // In WebVTT a voice is no text. ffmpeg does not know, as the standard has it, that it may be escaped.
            let shown = try await run(
                "ffmpeg", "-v", "error", "-i", "FILE", "-f", "srt", "-", on: format,
                write(format, [mine, format == .srt ? named : theirs]))
            let lines = shown.split(whereSeparator: \.isNewline).filter { !$0.contains("-->") && Int($0) == nil }
            #expect(
                lines == (format == .srt ? ["[me] hello", "[Ann & (Bob)] good morning"] : ["hello", "good morning"]))
        }
        let query = "[.segments[] | [.speaker, .channel, .overlaps // false]]"
        let found = try await run("jq", "-c", query, "FILE", on: .json, write(.json, [mine, named]))
        #expect(found == #"[["me",1,false],["Ann & <Bob>",2,true]]"# + "\n")
        let events = try await run(
            "jq", "-r", "select(.overlaps).speaker", "FILE", on: .jsonl, write(.jsonl, [mine, named]))
        #expect(events == "Ann & <Bob>\n")
    }

    @Test(
        "An utterance overlaps if another channel's goes on for half a second of it, or for half of the shorter",
        arguments: [
            (4.0, 1, 3.5...5.0, true), (4, 1, 3.6...5, false), (4, 1, 3.8...4.2, true), (4, 1, 3.9...4.2, false),
            (4, 1, 1...2, true), (4, 1, 4...5, false), (4, 1, 0...9, true), (4, 0, 3...5, false), (0.2, 1, 0...5, true),
        ])
    func overlaps(end: Double, channel: Int, second: ClosedRange<Double>, expected: Bool) {
        var merger = SegmentMerger(channelCount: 2)
        let first = TranscribedSegment(text: "a", start: 0, end: end, channel: 1)
        let other = TranscribedSegment(
            text: "b", start: second.lowerBound, end: second.upperBound, channel: channel + 1)
        var merged = merger.add(first, channel: 0, through: 100)
        merged += merger.add(other, channel: channel, through: 100)
        merged += merger.add(nil, channel: 1, through: 100)
        #expect(merged.map(\.text) == ["a", "b"])
        #expect(merged.map(\.overlaps) == [false, expected])
    }

    @Test("What went on earlier still overlaps when others came in between, and nothing does after its end")
    func longOverlap() {
        var merger = SegmentMerger(channelCount: 2)
        _ = merger.add(TranscribedSegment(text: "long", start: 0, end: 20, channel: 1), channel: 0, through: 20)
        var merged: [TranscribedSegment] = []
        for start in stride(from: 1.0, to: 25, by: 4) {
            let segment = TranscribedSegment(text: "short", start: start, end: start + 2, channel: 2)
            merged += merger.add(segment, channel: 1, through: start + 2)
        }
        merged += merger.add(nil, channel: 0, through: .infinity)
        merged += merger.add(nil, channel: 1, through: .infinity)
        #expect(merged.map(\.overlaps) == [false, true, true, true, true, true, false])
    }

    @Test("A file's names are used in one line each, unless a channel has none, or that of another")
    func namesOfFile() {
        #expect(ChannelNames.ofFile([]) == [])
        #expect(ChannelNames.ofFile([" me\n", "", "Mic", "Mic ", "\u{202E}x"]) == ["me", nil, nil, nil, "\\u{202E}x"])
    }
}
