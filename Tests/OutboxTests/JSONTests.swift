import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) -> JSONValue? { try? JSONParser.parse(Array(text.utf8)) }

    @Test("is the same after it is read and written, except for white space and escapes")
    func rewritten() {
        let text = #"{"b":[1,-0,1.50,1E+5,-2e-9,{}],"a":{"":null,"x":[true,false,[]]},"é":"\"\\\n\t\u0000"}"#
        #expect(parse(text)?.text == text)
        #expect(parse(" [ 1 , { \"a\" : 2 } ]\n")?.text == #"[1,{"a":2}]"#)
        #expect(parse(#""\u00e9\uD83E\uDD5B\/\b\f""#)?.string == "é🥛/\u{08}\u{0C}")
    }

    @Test("with a syntax error is refused")
    func refused() {
        for text in [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{\"a\"}", "{a:1}", "01", "1.", ".5", "+1", "1e", "-", "nul",
            "truefalse",
            "\"", "\"\n\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "NaN", "1 2",
            "{\"a\":1,\"a\":2}",
            "\u{FEFF}1", "'a'", String(repeating: "[", count: 66),
        ] {
            #expect(parse(text) == nil, "\(text)")
        }
        #expect(parse(String(repeating: "[", count: 64) + String(repeating: "]", count: 64)) != nil)
        #expect((try? JSONParser.parse([0x22, 0xC3, 0x28, 0x22])) == nil)
        #expect((try? JSONParser.parse([0x22, 0xED, 0xA0, 0x80, 0x22])) == nil)
    }

    @Test("and bytes that resemble it never crash the parser, which agrees with Foundation's")
    func random() throws {
        var random = SplitMix64(for: "random JSON")
        let seed = Array(#"{"id":"x","n":[-1.5e3,null,true],"t":"\u00e9\ud83e\udd5b\n ü","o":{"a":{},"b":[[]]}}"#.utf8)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = seed.randomElement(using: &random)!
                case 1: bytes.remove(at: place)
                default: bytes.insert(seed.randomElement(using: &random)!, at: place)
                }
            }
            guard let value = try? JSONParser.parse(bytes) else { continue }
            accepted += 1
            #expect(try JSONParser.parse(Array(value.text.utf8)) == value)
            // Foundation refuses what no Double can hold.
            let isTooLarge = value.text.matches(of: /[0-9.]+[eE]\+?[0-9]+/).contains {
                Double($0.output)?.isInfinite == true
            }
            guard !isTooLarge else { continue }
            let others = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? NSObject
            let ours =
                try JSONSerialization.jsonObject(with: Data(value.text.utf8), options: .fragmentsAllowed) as? NSObject
            #expect(others == ours, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 500)
    }
}
