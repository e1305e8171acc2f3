import Testing

@testable import utter

struct SpeechSpacingTests {
    @Test(
        "A space is added where one is missing, and nowhere else",
        arguments: [
            // The text on the left, the speech, the text on the right, and the result.
            ("", "hello", "", "hello"),
            ("one", "two", "", "one two"),
            ("one ", "two", "", "one two"),
            ("one", "two", "three", "one two three"),
            ("one", "two", " three", "one two three"),
            ("one\n", "two", "\nthree", "one\ntwo\nthree"),
            ("\t", "two", "", "\ttwo"),
            ("one,", "two", "", "one, two"),
            ("one", "two", ", three", "one two, three"),
            ("one", "two", ".", "one two."),
            ("one", "two", "?!", "one two?!"),
            ("(", "two", ")", "(two)"),
            ("one (", "two", ") three", "one (two) three"),
            ("one", "two", "(three)", "one two (three)"),
            ("“", "two", "”", "“two”"),
            ("say \"", "two", "\"", "say \"two\""),
            ("\"one\"", "two", "", "\"one\" two"),
            ("one", "two", "\"three\"", "one two \"three\""),
            ("'", "two", "", "'two"),
            ("one-", "two", "", "one-two"),
            ("-", "two", "", "- two"),
            ("and/", "or", "/else", "and/or/else"),
            ("@", "two", "", "@two"),
            ("one", ", two", "", "one, two"),
            ("one", "100 %", "% off", "one 100 %% off"),
            ("안녕", "하세요", "세상", "안녕 하세요 세상"),
            ("日本", "語", "です", "日本語です"),
            ("日本", "語", "text", "日本語 text"),
            ("text", "日本", "", "text 日本"),
            ("你好", "世界 你好", "吗", "你好 世界 你好 吗"),
            ("です。", "はい", "。", "です。はい。"),
            ("「", "はい", "」", "「はい」"),
            ("です。", "yes", "", "です。yes"),
            ("สวัสดี", "ครับ", "", "สวัสดีครับ"),
            ("😀", "hello", "😀", "😀 hello 😀"),
        ] as [(String, String, String, String)])
    func spaces(_ left: String, _ speech: String, _ right: String, _ whole: String) {
        let spaces = SpeechSpacing.around(speech, between: left[...], and: right[...])
        #expect(left + spaces.before + speech + spaces.behind + right == whole)
    }

    @Test("White space and control characters in speech are tidied")
    func tidied() {
        #expect(SpeechSpacing.tidied("  one \n two\t\u{3000}three ") == "one two three")
        #expect(SpeechSpacing.tidied("a\u{1B}[31mb\0\u{9B}c\r\n") == "a[31mbc")
        #expect(SpeechSpacing.tidied(" \n") == "")
        #expect(SpeechSpacing.tidied("e\u{301} 👩‍👩‍👧") == "e\u{301} 👩‍👩‍👧")
    }
}
