import TestSupport
import Testing

@testable import utter

struct TerminalTextTests {
    /// The dangerous scalars, written down a second time.
    private let dangerous: Set<UInt32> = Set(0x00...0x1F).union(0x7F...0x9F).union(0x202A...0x202E)
        .union(0x2066...0x2069).union([0x200E, 0x200F, 0x061C, 0x2028, 0x2029])

    @Test("Exactly the dangerous scalars become visible ASCII, in text and in bytes")
    func everyScalar() {
        // All the dangerous ones are below 0x3000.
        let others = stride(from: UInt32(0x3000), through: 0x10FFFF, by: Tier.amount(31, long: 1))
        for value in Array(0..<0x3000) + Array(others) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let form =
                switch value {
                case _ where !dangerous.contains(value): text
                case 0..<0x10: "\\x0" + String(value, radix: 16, uppercase: true)
                case 0..<0x80: "\\x" + String(value, radix: 16, uppercase: true)
                default: "\\u{" + String(value, radix: 16, uppercase: true) + "}"
                }
            // There is no #expect for each, since a million take too long.
            let isRight =
                TerminalText.visible(text).unicodeScalars.elementsEqual(form.unicodeScalars)
                && TerminalText.visible(bytes: Array(text.utf8)).unicodeScalars.elementsEqual(form.unicodeScalars)
            if !isRight { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test("Wanted tabs and newlines pass, and nothing else does")
    func layout() {
        for value in UInt8(0)...0x7F {
            let text = "a\(Unicode.Scalar(value))b"
            let passes = TerminalText.visible(text, layout: .tabsAndNewlines) == text
            #expect(passes == ((0x20...0x7E).contains(value) || value == 0x09 || value == 0x0A))
            #expect(
                TerminalText.visible(bytes: Array(text.utf8), layout: .tabsAndNewlines)
                    == TerminalText.visible(text, layout: .tabsAndNewlines))
        }
        // A carriage return and its newline are one Character.
        #expect(TerminalText.visible("a\r\nb", layout: .tabsAndNewlines) == "a\\x0D\nb")
        #expect(TerminalText.visible("a\r\n\tb") == "a\\x0D\\x0A\\x09b")
    }

    @Test("Every byte that isn't UTF-8 becomes two digits, and the bytes around it stay")
    func invalidBytes() {
        for byte in UInt8(0x80)...0xFF {
            let form = "\\x" + String(byte, radix: 16, uppercase: true)
            #expect(TerminalText.visible(bytes: [0x61, byte, 0x62]) == "a\(form)b")
            #expect(TerminalText.visible(bytes: [byte]) == form)
        }
        #expect(TerminalText.visible(bytes: [0xE2, 0x82, 0x41]) == "\\xE2\\x82A")  // cut short
        #expect(TerminalText.visible(bytes: [0xC0, 0x9B]) == "\\xC0\\x9B")  // overlong ESC-like
        #expect(TerminalText.visible(bytes: [0xED, 0xA0, 0x80]) == "\\xED\\xA0\\x80")  // surrogate
        #expect(TerminalText.visible(bytes: [0xF4, 0x90, 0x80, 0x80]) == "\\xF4\\x90\\x80\\x80")  // above U+10FFFF
        #expect(TerminalText.visible(bytes: []) == "")
    }

    @Test("Random bytes never give a dangerous scalar, and all that was valid is still there")
    func randomBytes() {
        var generator = SplitMix64(for: #function)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let visible = TerminalText.visible(bytes: bytes)
            #expect(!visible.unicodeScalars.contains { dangerous.contains($0.value) })
            #expect(!visible.unicodeScalars.contains("\u{FFFD}"))
            let printable = bytes.filter { (0x20...0x7E).contains($0) }.count
            #expect(visible.utf8.count >= printable)
        }
    }

    @Test("An attack on the terminal becomes readable text")
    func attack() {
        #expect(TerminalText.visible("x\u{1B}]0;pwned\u{7}\u{9B}2J") == "x\\x1B]0;pwned\\x07\\u{9B}2J")
        #expect(TerminalText.visible("invoice\u{202E}fdp.exe") == "invoice\\u{202E}fdp.exe")
    }
}
