/// The G.711 encodings of the ITU-T: telephone samples of 8 bits with the range of 13 and 14 bits.
enum G711 {
    /// The sample of each A-law byte, full scale ±1.0.
    static let aLaw: [Float] = (UInt8.min...UInt8.max).map { Float(expandALaw($0)) / 32768 }
    /// The sample of each µ-law byte, full scale ±1.0.
    static let muLaw: [Float] = (UInt8.min...UInt8.max).map { Float(expandMuLaw($0)) / 32768 }

    /// Expands an A-law byte: every second bit is inverted; then come the sign, 3 bits of exponent and 4 of mantissa.
    private static func expandALaw(_ byte: UInt8) -> Int {
        let bits = byte ^ 0x55
        let exponent = Int(bits >> 4 & 7)
        let mantissa = Int(bits & 15) << 4 + 8
        let magnitude = exponent == 0 ? mantissa : (mantissa + 256) << (exponent - 1)
        return bits & 0x80 != 0 ? magnitude : -magnitude
    }

    /// Expands a µ-law byte: all bits are inverted, and a bias of 132 makes every segment start at a power of two.
    private static func expandMuLaw(_ byte: UInt8) -> Int {
        let bits = ~byte
        let magnitude = (Int(bits & 15) << 3 + 132) << Int(bits >> 4 & 7) - 132
        return bits & 0x80 != 0 ? -magnitude : magnitude
    }
}
