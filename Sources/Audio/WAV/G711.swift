/// ITU-T G.711: telephone samples of 8 bits with the range of 13 and 14 bits.
enum G711 {
    /// What each A-law byte stands for, full scale ±1.0.
    static let aLaw: [Float] = (UInt8.min...UInt8.max).map { Float(expandALaw($0)) / 32768 }
    /// What each µ-law byte stands for, full scale ±1.0.
    static let muLaw: [Float] = (UInt8.min...UInt8.max).map { Float(expandMuLaw($0)) / 32768 }

    /// Every second bit travels inverted; then sign, 3 bits of exponent, 4 of mantissa.
    private static func expandALaw(_ byte: UInt8) -> Int {
        let bits = byte ^ 0x55
        let exponent = Int(bits >> 4 & 7)
        let mantissa = Int(bits & 15) << 4 + 8
        let magnitude = exponent == 0 ? mantissa : (mantissa + 256) << (exponent - 1)
        return bits & 0x80 != 0 ? magnitude : -magnitude
    }

    /// All bits travel inverted; the bias of 132 makes every segment start at a power of two.
    private static func expandMuLaw(_ byte: UInt8) -> Int {
        let bits = ~byte
        let magnitude = (Int(bits & 15) << 3 + 132) << Int(bits >> 4 & 7) - 132
        return bits & 0x80 != 0 ? -magnitude : magnitude
    }
}
