/// The checksum of a file in a zip archive, computed eight bytes at a time.
package struct CRC32 {
    /// Eight tables of 256 values: the remainder of each byte followed by 0 to 7 zero bytes.
    private static let table: [UInt32] = {
        var table = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var value = UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            table[byte] = value
        }
        for index in 256..<table.count {
            let before = table[index - 256]
            table[index] = before >> 8 ^ table[Int(before & 0xFF)]
        }
        return table
    }()

    private var state: UInt32 = 0xFFFF_FFFF

    package init() {}

    package var value: UInt32 { ~state }

    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var state = state
        Self.table.withUnsafeBufferPointer { table in
            var index = 0
            while index + 8 <= bytes.count {
                let word =
                    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(state)
                var next: UInt32 = 0
                for place in 0..<8 { next ^= table[(7 - place) * 256 + Int(word >> (8 * UInt64(place)) & 0xFF)] }
                state = next
                index += 8
            }
            while index < bytes.count {
                state = state >> 8 ^ table[Int((state ^ UInt32(bytes[index])) & 0xFF)]
                index += 1
            }
        }
        self.state = state
    }

    /// - Parameter before: the checksum of what stands before the bytes.
    package static func checksum(of bytes: UnsafeBufferPointer<UInt8>, after before: UInt32 = 0) -> UInt32 {
        var checksum = CRC32()
        checksum.state = ~before
        checksum.add(UnsafeRawBufferPointer(bytes))
        return checksum.value
    }

    /// Eight hexadecimal ones.
    package static func digits(_ checksum: UInt32) -> String { checksum.digits(8, radix: 16) }

    package static func digits(of bytes: some Sequence<UInt8>) -> String {
        digits(
            bytes.withContiguousStorageIfAvailable { checksum(of: $0) }
                ?? Array(bytes).withUnsafeBufferPointer { checksum(of: $0) })
    }
}
