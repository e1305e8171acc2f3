/// Decodes UTF-8 that comes in pieces, which may divide a character. Bytes that are not UTF-8 become U+FFFD; C1 control characters,
/// which no keyboard has, are dropped.
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

    /// Ends an incomplete character, which becomes U+FFFD.
    mutating func end() { decodePending(isAtEnd: true) }

    /// Takes the complete characters since the last call.
    mutating func takeString() -> String {
        defer { complete = String.UnicodeScalarView() }
        return String(complete)
    }

    private mutating func decodePending(isAtEnd: Bool) {
        while !pending.isEmpty {
            var parser = Unicode.UTF8.ForwardParser()
            var iterator = pending.makeIterator()
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                if !(0x80...0x9F).contains(scalar.value) { complete.append(scalar) }
                pending.removeFirst(encoded.count)
            // An error that takes all bytes is a character whose end may come, unless the byte begins none.
            case .error(length: pending.count) where !isAtEnd && (0xC2...0xF4).contains(pending[0]): return
            case .error(let length):
                complete.append("\u{FFFD}")
                pending.removeFirst(length)
            case .emptyInput: return
            }
        }
    }
}
