/// A source of bytes that were read ahead, for example to detect a format, followed by the rest of their source.
public struct PrefixedByteSource<Rest: ByteSource>: ByteSource {
    private var prefix: ArraySlice<UInt8>
    private var rest: Rest

    /// Creates a source of `prefix`, followed by the bytes of `rest`.
    public init(_ prefix: [UInt8], followedBy rest: Rest) {
        self.prefix = prefix[...]
        self.rest = rest
    }

    /// Reads the next bytes into `buffer` and returns how many; 0 at the end.
    ///
    /// - Throws: what `rest` throws.
    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !prefix.isEmpty else { return try rest.read(into: buffer) }
        let count = min(prefix.count, buffer.count)
        buffer.copyBytes(from: prefix.prefix(count))
        prefix.removeFirst(count)
        return count
    }
}
