/// The checksum of zip and PNG, in eight hexadecimal digits.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// - Parameter before: the checksum of what stands before the bytes.
    static func checksum(of bytes: UnsafeBufferPointer<UInt8>, after before: UInt32 = 0) -> UInt32 {
        table.withUnsafeBufferPointer { table in
            var value = ~before
            for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ value >> 8 }
            return ~value
        }
    }

    static func digits(_ checksum: UInt32) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    static func digits(of bytes: some Sequence<UInt8>) -> String {
        digits(bytes.withContiguousStorageIfAvailable { checksum(of: $0) } ?? Array(bytes).withUnsafeBufferPointer { checksum(of: $0) })
    }
}
