import TestSupport

/// Makes a broken file of a good one.
struct Mutation {
    private static let interesting: [UInt32] = [
        0, 1, 2, 15, 16, 17, 40, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFE, 0x7FFF_FFFF, 0x8000_0000,
        0xFFFF_FFF7, 0xFFFF_FFFE, 0xFFFF_FFFF,
    ]
    private static let names = ["RIFF", "RF64", "WAVE", "fmt ", "data", "ds64", "LIST", "JUNK", "fact"]

    /// Applies one to four random changes. Most of them hit the header, where the decisions are made.
    static func mutate(_ seed: SeedFile, with other: SeedFile, using random: inout SplitMix64) -> [UInt8] {
        var bytes = seed.bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard bytes.count > 8 else { break }
            let reach = Int.random(in: 0..<8, using: &random) == 0 ? bytes.count : min(bytes.count, seed.dataOffset)
            let offset = Int.random(in: 0..<reach, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[offset] = UInt8.random(in: 0...255, using: &random)
            case 2: replace(&bytes, at: offset & ~3, with: littleEndian(interesting.randomElement(using: &random) ?? 0))
            case 3: replace(&bytes, at: offset & ~1, with: littleEndian(UInt16.random(in: 0...300, using: &random)))
            case 4: replace(&bytes, at: offset & ~3, with: Array((names.randomElement(using: &random) ?? "").utf8))
            case 5: bytes.removeSubrange(offset...)
            case 6: bytes.removeSubrange(offset..<min(bytes.count, offset + Int.random(in: 1...9, using: &random)))
            case 7:
                let end = min(bytes.count, offset + Int.random(in: 1...48, using: &random))
                bytes.insert(contentsOf: bytes[offset..<end], at: offset)
            default:
                bytes.replaceSubrange(offset..., with: other.bytes.dropFirst(offset & ~3))
            }
        }
        return bytes
    }

    private static func replace(_ bytes: inout [UInt8], at offset: Int, with new: [UInt8]) {
        for (index, byte) in new.enumerated() where offset + index < bytes.count {
            bytes[offset + index] = byte
        }
    }
}
