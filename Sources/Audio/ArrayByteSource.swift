/// Reads bytes that are already in memory.
public struct ArrayByteSource: ByteSource, Sendable {
    private let bytes: [UInt8]
    private let maximumReadSize: Int
    private var offset = 0

    /// A source of `bytes` that hands out at most `maximumReadSize` of them (at least one) at a time.
    public init(_ bytes: [UInt8], maximumReadSize: Int = .max) {
        precondition(maximumReadSize > 0, "a read of no bytes means the end")
        self.bytes = bytes
        self.maximumReadSize = maximumReadSize
    }

    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count - offset, buffer.count, maximumReadSize)
        bytes.withUnsafeBytes { source in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + count]))
        }
        offset += count
        return count
    }
}
