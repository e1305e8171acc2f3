#if canImport(Command)
    @testable import Command
#else
    @testable import utter
#endif

/// The bytes from a terminal: the keys do not depend on how the bytes are divided, and text holds no control characters.
enum KeysSubject {
    static func check(_ bytes: [UInt8]) {
        for mode in [KeyDecoder.Mode.raw, .lines] {
            var decoder = KeyDecoder(mode: mode)
            let keys = decoder.decode(bytes) + decoder.timeOut()
            require(!decoder.isWaiting, "a pause ends the waiting")
            var slow = KeyDecoder(mode: mode)
            let slowKeys = bytes.flatMap { slow.decode([$0]) } + slow.timeOut()
            require(joined(keys) == joined(slowKeys), "the same a byte at a time")
            for key in keys { check(key) }

            // Except in a paste, nothing may hide Control-C.
            let isPasted = bytes.indices.contains { bytes[$0...].starts(with: "[200~".utf8) }
            let interrupts = keys.count { $0 == .control("C") }
            require(isPasted || interrupts >= bytes.count { $0 == 3 }, "Control-C counts")
        }
    }

    private static func check(_ key: Key) {
        switch key {
        case .text(let text):
            require(
                !text.isEmpty && !text.unicodeScalars.contains { isControl($0) && $0 != "\t" },
                "characters that were typed")
        case .paste(let text):
            require(!text.unicodeScalars.contains { isControl($0) && $0 != "\t" && $0 != "\n" }, "text that was pasted")
        case .control(let character): require(("@"..."_").contains(character), "a capital letter or sign")
        default: break
        }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// The keys with successive pieces of text joined.
    private static func joined(_ keys: [Key]) -> [Key] {
        var result: [Key] = []
        var (text, pasted) = ("", "")
        for key in keys {
            if case .text(let more) = key {
                text += more
            } else if !text.isEmpty {
                result.append(.text(text))
                text = ""
            }
            if case .paste(let more) = key {
                pasted += more
            } else if !pasted.isEmpty {
                result.append(.paste(pasted))
                pasted = ""
            }
            switch key {
            case .text, .paste: break
            default: result.append(key)
            }
        }
        return result + (text.isEmpty ? [] : [.text(text)]) + (pasted.isEmpty ? [] : [.paste(pasted)])
    }
}
