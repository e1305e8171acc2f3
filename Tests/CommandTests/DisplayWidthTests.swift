import Testing

@testable import utter

struct DisplayWidthTests {
    @Test(
        "The width of a text is that on a terminal",
        arguments: [
            ("", 0), ("hello", 5), ("Grüße", 5), ("e\u{301}", 1), ("日本語", 6), ("안녕", 4), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4),
            ("a\u{200B}b", 2), ("\u{FEFF}a", 1), ("soft\u{AD}hyphen", 11), ("😀", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4),
            ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("1", 1), ("☕", 2), ("…", 1), ("—", 1),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("नमस्ते", 4), ("שלום", 4), ("مرحبا", 5), ("\u{20D0}a", 1), ("🏴‍☠️", 2), ("‼️", 2), ("a\u{FE0F}", 1), ("、。", 4),
            ("©", 1),
        ] as [(String, Int)])
    func widths(_ text: String, _ width: Int) {
        #expect(displayWidth(text) == width, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
    }

    @Test("The table is in order, and agrees with East Asian Width at the borders of its ranges")
    func table() {
        let wide: [UInt32] = [
            0x1100, 0x115F, 0x231A, 0x2E80, 0x3000, 0x303E, 0x3041, 0x3247, 0x3250, 0x4DBF, 0x4E00, 0xA4C6, 0xAC00,
            0xD7A3,
            0xF900, 0xFAFF, 0xFE10, 0xFE30, 0xFF01, 0xFF60, 0xFFE0, 0xFFE6, 0x17000, 0x1B000, 0x1F300, 0x1F6DC, 0x1FAE8,
            0x1FAF8, 0x20000, 0x2FFFD, 0x30000, 0x3FFFD, 0x1F1E6, 0x1F3FB,
        ]
        let narrow: [UInt32] = [
            0x20, 0x7E, 0xA0, 0xA9, 0x10FF, 0x231C, 0x2E7F, 0x303F, 0x3248, 0x324F, 0x4DC0, 0x4DFF, 0xA4D0, 0xABFF,
            0xFB00,
            0xFE0E + 0x62, 0xFF61, 0xFFDC, 0xFFE8, 0x16FFF, 0x1F000, 0x1F321, 0x1F5A5, 0x2190, 0x2500, 0x2588,
        ]
        for value in wide { #expect(ScalarWidth.of(Unicode.Scalar(value)!) == 2, "U+\(String(value, radix: 16))") }
        for value in narrow { #expect(ScalarWidth.of(Unicode.Scalar(value)!) == 1, "U+\(String(value, radix: 16))") }
        var end: UInt32 = 0
        for value in UInt32(0)...0x3FFFF where ScalarWidth.isWide(value) {
            #expect(value > end)
            end = value
        }
    }

    @Test("Marks and format characters have no width, except those that are drawn")
    func zeroWidth() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .control:
                if ScalarWidth.of(scalar) != 0 { Issue.record("U+\(String(value, radix: 16)) is a mark") }
            case .uppercaseLetter, .lowercaseLetter, .decimalNumber:
                if ScalarWidth.of(scalar) < 1 { Issue.record("U+\(String(value, radix: 16)) is a letter") }
            default: break
            }
        }
        #expect(ScalarWidth.of("\u{200D}") == 0 && ScalarWidth.of("\u{2060}") == 0 && ScalarWidth.of("\u{E0067}") == 0)
        #expect(ScalarWidth.of("\u{600}") == 1 && ScalarWidth.of("\u{AD}") == 1)
    }

    @Test("A text is cut after the last whole character that fits")
    func cutting() {
        #expect(prefix(of: "日本語", fitting: 5) == "日本")
        #expect(suffix(of: "日本語", fitting: 5) == "本語")
        #expect(prefix(of: "abc", fitting: 0) == "")
        #expect(prefix(of: "a👩‍👩‍👧b", fitting: 3) == "a👩‍👩‍👧")
        #expect(suffix(of: "abc", fitting: 9) == "abc")
    }
}
