/// Decodes UTF-8 that comes in pieces, which may divide a character. Bytes that are not UTF-8 become U+FFFD; C1 control characters,
/// which no keyboard has, are dropped.
struct UTF8Pieces: Sendable {
    private var complete = String.UnicodeScalarView()
    /// The beginning of a character, at most three bytes.
    private var pending: [UInt8] = []

    /// Adds a byte.
    mutating func append(_ byte: UInt8) {
        if pending.isEmpty, byte < 0x80 {
            complete.append(Unicode.Scalar(byte))
            return
        }
        pending.append(byte)
        decodePending(isAtEnd: false)
    }

    /// Ends an incomplete character, which becomes U+FFFD.
    mutating func end() { decodePending(isAtEnd: true) }

    /// Takes the complete characters since the last call.
    mutating func takeString() -> String {
        defer { complete = String.UnicodeScalarView() }
        return String(complete)
    }

    private mutating func decodePending(isAtEnd: Bool) {
        while !pending.isEmpty {
            if !isAtEnd, Self.isBeginning(pending) { return }
            var parser = Unicode.UTF8.ForwardParser()
            var iterator = pending.makeIterator()
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if !(0x80...0x9F).contains(scalar.value) { complete.append(scalar) }
                pending.removeFirst(encoded.count)
            case .error(let length):
                complete.append("\u{FFFD}")
                pending.removeFirst(length)
            case .emptyInput: return
            }
        }
    }

    /// Whether bytes are the beginning of a character.
    private static func isBeginning(_ bytes: [UInt8]) -> Bool {
        let length: Int
        switch bytes[0] {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return false
        }
        guard bytes.count < length else { return false }
        guard bytes.count > 1 else { return true }
        // For some first bytes the second is limited, which excludes overlong forms, surrogates and numbers beyond Unicode.
        let second: ClosedRange<UInt8> =
            switch bytes[0] {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        return second.contains(bytes[1]) && bytes.dropFirst(2).allSatisfy { (0x80...0xBF).contains($0) }
    }
}
