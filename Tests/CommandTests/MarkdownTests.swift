import TestSupport
import Testing

@testable import utter

struct MarkdownTests {
    private func write(_ segments: [TranscribedSegment], namesFiles: Bool = false) -> String {
        var formatter = OutputFormat.md.makeFormatter(TranscriptLabels(files: namesFiles))
        var result = formatter.begin(file: "a_b #1 #", model: "tiny")
        for segment in segments { result += formatter.segment(segment) }
        return result + formatter.end(duration: 100)
    }

    private func said(_ text: String, _ start: Double, _ end: Double, _ speaker: String? = nil, overlaps: Bool = false)
        -> TranscribedSegment
    {
        TranscribedSegment(
            text: text, start: start, end: end, channel: speaker == nil ? nil : 1, speaker: speaker, overlaps: overlaps)
    }

    @Test("Markdown has a paragraph for each turn, with the name and the time, and an utterance a line")
    func turns() {
        #expect(
            write([
                said("Good morning.", 12.9, 14, "me"), said("How are you?", 14.5, 16, "me"),
                said("Fine.", 15, 15.8, "them", overlaps: true), said("And you?", 16, 17, "them"),
                said("Well,", 3723, 3724, "me"),
            ]) == """
                **me** (0:00:12) Good morning.
                How are you?

                **them** (0:00:15) (overlapping) Fine.
                And you?

                **me** (1:02:03) Well,

                """)
    }

    @Test("A paragraph ends at a pause of 10 s and after 60 s, and without channels it begins with the time only")
    func paragraphs() {
        #expect(
            write([
                said("a", 0, 1), said("b", 10.9, 12), said("c", 22, 50), said("d", 55, 81), said("e", 82, 83),
            ]) == "(0:00:00) a\nb\n\n(0:00:22) c\nd\n\n(0:01:22) e\n")
        var numbered = said("a", 0, 1)
        numbered.channel = 2
        #expect(write([numbered]) == "**Channel 2** (0:00:00) a\n")
        #expect(write([said(" \n ", 0, 1)]) == "")
    }

    @Test("Each of several recordings has its name as a heading")
    func headings() {
        let head = "# a\\_b \\#1 \\#\n"
        let turns = [said("a", 0, 1), said("b", 20, 21)]
        #expect(write(turns, namesFiles: true) == head + "\n(0:00:00) a\n\n(0:00:20) b\n")
        #expect(write([], namesFiles: true) == head)
        #expect(OutputFormat.md.separator(TranscriptLabels(files: true)) == "\n")
        #expect(OutputFormat.md.separator(TranscriptLabels(files: false)) == "")
    }

    @Test(
        "Nothing that is said is markup, be it in the midst of a line or at its beginning",
        arguments: [
            (#"a*b_c`d`[e](f)<g>|h~~i\j&amp;"#, #"a\*b\_c\`d\`\[e\](f)\<g\>\|h\~\~i\\j\&amp;"#),
            ("# one", "\\# one"), ("C# #tag", "C# \\#tag"), ("- one", #"\- one"#), ("+ one - two", #"\+ one - two"#),
            ("1. one", #"1\. one"#), ("12) one", #"12\) one"#), ("1.5 and 2. three", "1.5 and 2. three"),
            ("1999.", #"1999\."#), ("---", #"\---"#), ("===", #"\==="#), ("> one", #"\> one"#), ("...", "..."),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(write([said("x", 0, 1), said(text, 1, 2)]) == "(0:00:00) x\n\(expected)\n")
    }

    @Test("A dictated line break is one in the paragraph, and nothing else ends the paragraph")
    func lineBreaks() {
        var lines = said("Dear Anna,\n\n# 1\n", 0, 1)
        lines.hasOwnLines = true
        #expect(write([lines, said("b", 1, 2)]) == "(0:00:00) Dear Anna,\\\n\\# 1\nb\n")
        #expect(write([said("a\r\n\tb\u{2028}c", 0, 1)]) == "(0:00:00) a b c\n")
    }

    @Test("Times that are not numbers don't trap")
    func oddTimes() {
        #expect(write([said("a", .nan, .nan), said("b", -.infinity, .infinity)]).hasPrefix("(0:00:00) a\n"))
    }
}
