/// UTF-8 that comes in pieces, perhaps broken within a character. What isn't UTF-8 becomes U+FFFD; control characters of the
/// upper range (C1), which no keyboard has, go.
struct UTF8Pieces: Sendable {
    private var complete = String.UnicodeScalarView()
    /// The beginning of a character, at most three bytes.
    private var pending: [UInt8] = []

    mutating func append(_ byte: UInt8) {
        if pending.isEmpty, byte < 0x80 {
            complete.append(Unicode.Scalar(byte))
            return
        }
        pending.append(byte)
        decodePending(isAtEnd: false)
    }

    /// Says that what follows is no part of a character that has begun.
    mutating func end() { decodePending(isAtEnd: true) }

    /// The whole characters that have come since it was last asked.
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

    /// Whether more bytes could still make a character of these.
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
        // The second byte of some is limited: overlong forms, surrogates, beyond Unicode.
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
