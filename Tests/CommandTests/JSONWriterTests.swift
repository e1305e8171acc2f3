import Foundation
import TestSupport
import Testing

@testable import utter

struct JSONWriterTests {
    private func read(_ json: String) throws -> String? {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String
    }

    @Test("Another parser reads every scalar below U+3000 and every random text unchanged")
    func roundTrip() throws {
        for value in UInt32(0)..<0x3000 {
            let text = "a" + String(Unicode.Scalar(value)!) + "b"
            #expect(try read(JSONWriter.string(text)) == text)
        }
        var generator = SplitMix64(for: #function)
        for _ in 0..<2000 {
            let text = generator.text()
            let back = try #require(try read(JSONWriter.string(text)))
            // Compare scalars, since strings that are canonically equivalent are equal.
            #expect(Array(back.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("Nothing in a JSON string can upset a terminal or end a line")
    func harmless() {
        for value in (UInt32(0)..<0x3000).compactMap(Unicode.Scalar.init) {
            #expect(!JSONWriter.string(String(value)).unicodeScalars.contains(where: TerminalText.isDangerous))
        }
        #expect(JSONWriter.string("\u{FEFF}a\u{200F}\u{FEFF}") == #""\ufeffa\u200f\ufeff""#)
        #expect(JSONWriter.string("\u{1B}\u{2028}\u{202E}\"\\\n") == #""\u001b\u2028\u202e\"\\\n""#)
    }

    @Test("Numbers are rounded, and have no noise of binary fractions")
    func numbers() {
        #expect(JSONWriter.seconds(1.1699999999999999) == "1.17")
        #expect(JSONWriter.seconds(0.1 + 0.2) == "0.3")
        #expect(JSONWriter.seconds(0) == "0")
        #expect(JSONWriter.seconds(-0.001) == "0")
        #expect(JSONWriter.seconds(-1.5) == "-1.5")
        #expect(JSONWriter.seconds(10) == "10")
        #expect(JSONWriter.seconds(36_000.01) == "36000.01")
        #expect(JSONWriter.number(0.98765, decimals: 3) == "0.988")
        #expect(JSONWriter.seconds(.nan) == "null")
        #expect(JSONWriter.seconds(-.infinity) == "null")
        #expect(JSONWriter.number(100, decimals: 0) == "100")
        #expect(Decimals.fixed(.greatestFiniteMagnitude, decimals: 2).hasSuffix(".00"))
    }
}
