import TestSupport
import Testing

@testable import utter

struct KeyDecoderTests {
    /// The keys of these bytes, followed by a pause.
    private func keys(_ bytes: String, mode: KeyDecoder.Mode = .raw) -> [Key] { keys(Array(bytes.utf8), mode: mode) }

    private func keys(_ bytes: [UInt8], mode: KeyDecoder.Mode = .raw) -> [Key] {
        var decoder = KeyDecoder(mode: mode)
        let keys = decoder.decode(bytes) + decoder.timeOut()
        #expect(!decoder.isWaiting)
        return keys
    }

    /// The keys with successive pieces of text joined.
    private func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { result, key in
            switch (result.last, key) {
            case (.text(let text), .text(let more)): result[result.count - 1] = .text(text + more)
            case (.paste(let text), .paste(let more)): result[result.count - 1] = .paste(text + more)
            default: result.append(key)
            }
        }
    }

    @Test("An Enter with text behind it that came at once is a line break; the last one is the key")
    func lineBreaks() {
        #expect(keys("a\rb").withLineBreaks == [.text("a"), .newLine, .text("b")])
        #expect(keys("a\r\rb\r").withLineBreaks == [.text("a"), .newLine, .newLine, .text("b"), .enter])
        for ends in [
            [Key.text("a"), .enter], [.enter], [.enter, .enter], [.enter, .control("C")], [.enter, .escape], [],
        ] {
            #expect(ends.withLineBreaks == ends)
        }
    }

    @Test(
        "Each key is recognized in all encodings of terminals",
        arguments: [
            (.enter, ["\r", "\u{1B}OM", "\u{1B}[13u", "\u{1B}[13;1u", "\u{1B}[27;1;13~"]),
            (
                .newLine,
                [
                    "\n", "\u{1B}\r", "\u{1B}\n", "\u{1B}[13;3u", "\u{1B}[13;2u", "\u{1B}[13;5u", "\u{1B}[27;3;13~",
                    "\u{1B}[27;5;13~", "\u{1B}[106;5u",
                ]
            ),
            (.escape, ["\u{1B}", "\u{1B}[27u", "\u{1B}[27;1;27~", "\u{1B}[91;5u"]),
            (.left, ["\u{1B}[D", "\u{1B}OD", "\u{02}", "\u{1B}[1;2D", "\u{1B}[1;1D", "\u{1B}[d"]),
            (.right, ["\u{1B}[C", "\u{1B}OC", "\u{06}", "\u{1B}[1;2C"]),
            (.up, ["\u{1B}[A", "\u{1B}OA", "\u{1B}[1;5A"]),
            (.down, ["\u{1B}[B", "\u{1B}OB", "\u{1B}[1;3B"]),
            (
                .wordLeft,
                [
                    "\u{1B}b", "\u{1B}B", "\u{1B}[1;5D", "\u{1B}[1;3D", "\u{1B}[5D", "\u{1B}[3D", "\u{1B}Od",
                    "\u{1B}O5D",
                    "\u{1B}O1;5D", "\u{1B}\u{1B}[D", "\u{1B}\u{1B}OD", "\u{1B}[98;3u",
                    "\u{1B}[1;9D".replacing("9", with: "7"),
                ]
            ),
            (
                .wordRight,
                [
                    "\u{1B}f", "\u{1B}[1;5C", "\u{1B}[1;3C", "\u{1B}[5C", "\u{1B}Oc", "\u{1B}\u{1B}[C",
                    "\u{1B}[27;3;102~",
                ]
            ),
            (
                .lineStart,
                ["\u{01}", "\u{1B}[H", "\u{1B}OH", "\u{1B}[1~", "\u{1B}[7~", "\u{1B}[7^", "\u{1B}[7$", "\u{1B}[1;5H"]
            ),
            (.lineEnd, ["\u{05}", "\u{1B}[F", "\u{1B}OF", "\u{1B}[4~", "\u{1B}[8~", "\u{1B}[8@", "\u{1B}[1;5F"]),
            (.backspace, ["\u{7F}", "\u{08}", "\u{1B}[127u", "\u{1B}[127;2u"]),
            (.delete, ["\u{1B}[3~", "\u{1B}[3;2~"]),
            (
                .deleteWordBackward,
                ["\u{17}", "\u{1B}\u{7F}", "\u{1B}\u{08}", "\u{1B}[127;3u", "\u{1B}[127;5u", "\u{1B}[119;5u"]
            ),
            (.deleteWordForward, ["\u{1B}d", "\u{1B}[3;5~", "\u{1B}[3;3~", "\u{1B}[3^"]),
            (.deleteToLineStart, ["\u{15}"]),
            (.deleteToLineEnd, ["\u{0B}"]),
            (.help, ["\u{1B}OP", "\u{1B}[11~", "\u{1B}[[A", "\u{1B}[P", "\u{1B}[1;2P"]),
            (.yank, ["\u{19}", "\u{1B}[121;5u"]), (.yankPrevious, ["\u{1B}y", "\u{1B}Y", "\u{1B}[121;3u"]),
            (.undo, ["\u{1F}", "\u{1B}[95;5u", "\u{1B}[47;5u", "\u{1B}[45;6u"]),
            (.redo, ["\u{1B}_", "\u{1B}\u{1F}", "\u{1B}[95;3u", "\u{1B}[45;4u"]),
            (.control("C"), ["\u{03}", "\u{1B}[99;5u", "\u{1B}[67;6u", "\u{1B}[27;5;99~"]),
            (.control("P"), ["\u{10}"]), (.control("D"), ["\u{04}"]), (.control("L"), ["\u{0C}"]),
            (.control("Z"), ["\u{1A}"]),
            (.control("@"), ["\0"]), (.control("\\"), ["\u{1C}"]),
            (.text("\t"), ["\t", "\u{1B}[9u"]),
            (.text("a"), ["a", "\u{1B}[97u"]), (.text("é"), ["é", "\u{1B}[233u", "\u{1B}[233::233;1:1u"]),
            (.text("5"), ["\u{1B}Ou"]),
            (.text("한"), ["한"]), (.text("😀"), ["😀"]),
        ] as [(Key, [String])])
    func forms(_ key: Key, _ forms: [String]) {
        for form in forms {
            #expect(keys(form) == [key], "\(form.debugDescription)")
            // The key is the same between text.
            #expect(keys("x" + form + "\ry").contains(.enter) || key == .escape, "\(form.debugDescription)")
        }
    }

    @Test(
        "An unknown sequence is ignored as a whole",
        arguments: [
            "\u{1B}[I", "\u{1B}[O", "\u{1B}[2~", "\u{1B}[5~", "\u{1B}[15;2~", "\u{1B}[201~", "\u{1B}OQ", "\u{1B}[[B",
            "\u{1B}x",
            "\u{1B}é", "\u{1B}한", "\u{1B}😀", "\u{1B}[?2026;2$y", "\u{1B}[24;80R", "\u{1B}[>1;10;0c",
            "\u{1B}]11;rgb:0000/0000/0000\u{07}", "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", "\u{1B}P>|tmux 3.3a\u{1B}\\",
            "\u{1B}[" + String(repeating: "1;", count: 5000) + "A" + "", "\u{1B}[99999999999999999999;5u",
            "\u{1B}[1114112u",
            "\u{1B}[55296u",
            "\u{1B}[3u", "\u{1B}[128u",
        ])
    func unknown(_ sequence: String) {
        let expected: [Key] = sequence.hasSuffix("1;A") ? [.up] : []
        #expect(keys(sequence) == expected)
        #expect(
            joined(keys("ab" + sequence + "cd"))
                == (expected.isEmpty ? [.text("abcd")] : [.text("ab"), .up, .text("cd")]))
    }

    @Test("The beginning of a sequence, broken off by a pause, is no text and hides nothing after it")
    func timeOut() {
        for beginning in ["[", "[1;", "O", "]", "]0;title", "P", "[["] {
            var decoder = KeyDecoder()
            #expect(decoder.decode(Array("\u{1B}\(beginning)".utf8)) == [])
            #expect(decoder.isWaiting)
            #expect(decoder.timeOut() == [])
            #expect(decoder.decode(Array("a\r".utf8)) == [.text("a"), .enter])
        }
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x1B]) == [] && decoder.isWaiting)
        #expect(decoder.timeOut() == [.escape])
        #expect(decoder.timeOut() == [])
        #expect(decoder.decode(Array("[A".utf8)) == [.text("[A")])
    }

    @Test("Text right after Alt-_ is not taken for an answer of the terminal")
    func redoAndText() {
        #expect(joined(keys("\u{1B}_hello\u{1B}_\u{1B}_")) == [.redo, .text("hello"), .redo, .redo])
        #expect(keys("\u{1B}_Gi=1;OK\u{1B}\\x") == [.text("x")])
    }

    @Test("Two Esc are two keys, three are three, and the keys after them are unchanged")
    func escapes() {
        #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
        #expect(keys("\u{1B}\u{1B}\u{1B}") == [.escape, .escape, .escape])
        #expect(keys("\u{1B}\u{1B}a") == [.escape, .escape, .text("a")])
        #expect(keys("\u{1B}\u{1B}\r") == [.escape, .escape, .enter])
        #expect(keys("\u{1B}\u{1B}\u{1B}[A") == [.escape, .up])
    }

    @Test(
        "Nothing hides Control-C or Enter",
        arguments: ["\u{1B}", "\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}]0;x", "\u{1B}P", "\u{1B}[[", "\u{C3}"])
    func controlCharactersWin(_ beginning: String) {
        #expect(keys(beginning + "\u{03}").last == .control("C"))
        #expect(keys(Array(beginning.utf8) + [0xE4, 0x03]).last == .control("C"))
    }

    @Test("Invalid UTF-8 is shown as such, and does not affect the text around it")
    func invalid() {
        #expect(keys([0x61, 0xE4, 0x62]) == [.text("a\u{FFFD}b")])
        #expect(keys([0xE4, 0x0D]) == [.text("\u{FFFD}"), .enter])
        #expect(
            keys([0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF5, 0x41]) == [
                .text(String(decoding: [0xC0, 0x80, 0xED, 0xA0, 0x80, 0xF5, 0x41], as: UTF8.self))
            ])
        #expect(keys([0xC2, 0x9B, 0x41]) == [.text("A")])
        var random = SplitMix64(for: "invalid UTF-8")
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 1...30, using: &random)).map { _ in
                [0x41, 0xC2, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xED, 0xA0, 0xFF, 0xBF]
                    .randomElement(
                        using: &random)! as UInt8
            }
            let expected = String(
                String.UnicodeScalarView(
                    String(decoding: bytes + [0x0D], as: UTF8.self).unicodeScalars.filter {
                        !(0x80...0x9F).contains($0.value) && $0 != "\r"
                    }))
            #expect(joined(keys(bytes + [0x0D])) == (expected.isEmpty ? [] : [.text(expected)]) + [.enter], "\(bytes)")
        }
    }

    @Test("In a paste no byte is a key")
    func paste() {
        func paste(_ text: String) -> [Key] { keys("\u{1B}[200~\(text)\u{1B}[201~") }
        #expect(paste("one\rtwo\r\nthree\nfour\r\r\n") == [.paste("one\ntwo\nthree\nfour\n\n")])
        #expect(paste("a\u{03}b\u{1B}[Ac\u{7F}\td\u{1B}\u{1B}[20e\0") == [.paste("ab[Ac\td[20e")])
        #expect(paste("") == [])
        #expect(paste("\u{1B}") == [])
        #expect(paste("x\u{1B}[200~y") == [.paste("x[200~y")])
        #expect(keys("a\u{1B}[200~b\u{1B}[201~c\r") == [.text("a"), .paste("b"), .text("c"), .enter])
        // Broken UTF-8 ends with the paste.
        #expect(
            keys(Array("\u{1B}[200~".utf8) + [0xC3] + Array("\u{1B}[201~é".utf8)) == [.paste("\u{FFFD}"), .text("é")])
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~a\r".utf8)) == [.paste("a\n")])
        #expect(!decoder.isWaiting && decoder.timeOut() == [])
        #expect(decoder.decode(Array("\nb\u{1B}".utf8)) == [.paste("b")])
        #expect(decoder.timeOut() == [])
        #expect(decoder.decode(Array("[201~\r".utf8)) == [.enter])
    }

    @Test("Ctrl-C with nothing behind it ends a paste whose end mark does not come; in the middle of one it is no key")
    func endlessPaste() {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~a\r\u{03}".utf8)) == [.paste("a\n")] && decoder.isWaiting)
        #expect(decoder.timeOut() == [.control("C")] && !decoder.isWaiting)
        #expect(decoder.decode(Array("b\r".utf8)) == [.text("b"), .enter])
        // An end mark that comes late is no key.
        #expect(decoder.decode(Array("\u{1B}[201~c".utf8)) == [.text("c")])
        #expect(decoder.decode(Array("\u{1B}[200~a\u{03}".utf8)) == [.paste("a")])
        #expect(decoder.decode(Array("b\r".utf8)) == [.paste("b\n")] && !decoder.isWaiting)
        #expect(decoder.decode(Array("\u{03}\u{1B}[201~\r".utf8)) == [.enter])
    }

    @Test("In line mode a newline is Enter")
    func lines() {
        #expect(keys("hello\n", mode: .lines) == [.text("hello"), .enter])
        #expect(keys("hello\n", mode: .raw) == [.text("hello"), .newLine])
    }

    @Test("The keys are the same however the bytes are divided into reads")
    func splits() {
        var random = SplitMix64(for: "splits of keys")
        let parts =
            [
                "a", "hello ", "é", "한국어", "👩‍👩‍👧", "\r", "\n", "\u{1B}[A", "\u{1B}[1;5D", "\u{1B}OH", "\u{1B}[3~",
                "\u{1B}\r", "\u{1B}b",
                "\u{1B}\u{1B}[C", "\u{1B}[200~pasted\r\nline\u{1B}[31m\tü\u{1B}[201~", "\u{7F}", "\u{17}",
                "\u{1B}]0;t\u{07}",
                "\u{1B}\u{1B}x",
                "\u{1B}[[A", "\u{1B}x", "\u{1B}é", "\u{1B}[200~\u{1B}\u{1B}[201~",
            ].map { Array($0.utf8) } + [[0xFF], [0xE2, 0x82], [0x1B, 0x5B, 0x80], [0x1B, 0xE2, 0x41]]
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 1...12, using: &random)).flatMap { _ in parts.randomElement(using: &random)!
            }
            let whole = joined(keys(bytes))
            var decoder = KeyDecoder()
            var found: [Key] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...4, using: &random)
                found += decoder.decode(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            found += decoder.timeOut()
            #expect(joined(found) == whole, "\(bytes)")
        }
    }

    @Test("Any bytes are accepted")
    func anything() {
        var random = SplitMix64(for: "any bytes as keys")
        var texts = 0
        for _ in 0..<300 {
            var decoder = KeyDecoder(mode: Bool.random(using: &random) ? .raw : .lines)
            for _ in 0..<20 {
                let keys = decoder.decode(
                    (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        Bool.random(using: &random)
                            ? UInt8.random(in: 0...255, using: &random)
                            : Array("\u{1B}[O;120~]".utf8).randomElement(using: &random)!
                    })
                for case .paste(let text) in keys {
                    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" })
                }
                for case .text(let text) in keys {
                    texts += 1
                    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" })
                }
                if Bool.random(using: &random) { _ = decoder.timeOut() }
            }
        }
        #expect(texts > 1000)
    }
}
