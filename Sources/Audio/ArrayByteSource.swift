/// Reads bytes that are already in memory.
public struct ArrayByteSource: ByteSource, Sendable {
    private let bytes: [UInt8]
    private let maximumReadSize: Int
    private var offset = 0

    /// Creates a source of `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: the content of the source.
    ///   - maximumReadSize: the most bytes that one read returns, at least 1.
    public init(_ bytes: [UInt8], maximumReadSize: Int = .max) {
        precondition(maximumReadSize > 0, "a read of no bytes means the end")
        self.bytes = bytes
        self.maximumReadSize = maximumReadSize
    }

    /// Copies the next bytes into `buffer` and returns how many; 0 at the end.
    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(bytes.count - offset, buffer.count, maximumReadSize)
        bytes.withUnsafeBytes { source in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[offset..<offset + count]))
        }
        offset += count
        return count
    }
}
