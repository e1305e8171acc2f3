import Foundation
import Outbox
import TestSupport
import Testing

@testable import utter

struct JSONTextTests {
    private func read(_ json: String) throws -> String? {
        try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed) as? String
    }

    @Test("Another parser reads every scalar below U+3000 and every random text unchanged")
    func roundTrip() throws {
        for value in UInt32(0)..<0x3000 {
            let text = "a" + String(Unicode.Scalar(value)!) + "b"
            #expect(try read(JSONValue.string(text).json) == text)
        }
        var generator = SplitMix64(for: #function)
        for _ in 0..<2000 {
            let text = generator.text()
            let back = try #require(try read(JSONValue.string(text).json))
            // Compare scalars, since strings that are canonically equivalent are equal.
            #expect(Array(back.unicodeScalars) == Array(text.unicodeScalars))
        }
    }

    @Test("Nothing in a JSON string can upset a terminal or end a line")
    func harmless() {
        for value in (UInt32(0)..<0x3000).compactMap(Unicode.Scalar.init) {
            #expect(!JSONValue.string(String(value)).json.unicodeScalars.contains(where: TerminalText.isDangerous))
        }
        #expect(JSONValue.string("\u{FEFF}a\u{200F}\u{FEFF}").json == #""\ufeffa\u200f\ufeff""#)
        #expect(JSONValue.string("\u{1B}\u{2028}\u{202E}\"\\\n").json == #""\u001b\u2028\u202e\"\\\n""#)
    }

    @Test("Numbers are rounded, and have no noise of binary fractions")
    func numbers() {
        #expect(JSONValue.seconds(1.1699999999999999).json == "1.17")
        #expect(JSONValue.seconds(0.1 + 0.2).json == "0.3")
        #expect(JSONValue.seconds(0).json == "0")
        #expect(JSONValue.seconds(-0.001).json == "0")
        #expect(JSONValue.seconds(-1.5).json == "-1.5")
        #expect(JSONValue.seconds(10).json == "10")
        #expect(JSONValue.seconds(36_000.01).json == "36000.01")
        #expect(JSONValue.number(0.98765, decimals: 3).json == "0.988")
        #expect(JSONValue.seconds(.nan).json == "null")
        #expect(JSONValue.seconds(-.infinity).json == "null")
        #expect(JSONValue.number(100, decimals: 0).json == "100")
        #expect(Decimals.fixed(.greatestFiniteMagnitude, decimals: 2).hasSuffix(".00"))
    }
}
