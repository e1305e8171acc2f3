/// Gives back bytes that were read from a source to see what it is, and then the rest of it.
public struct PrefixedByteSource<Rest: ByteSource>: ByteSource {
    private var prefix: ArraySlice<UInt8>
    private var rest: Rest

    /// A source of `prefix`, followed by what `rest` gives.
    public init(_ prefix: [UInt8], followedBy rest: Rest) {
        self.prefix = prefix[...]
        self.rest = rest
    }

    public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !prefix.isEmpty else { return try rest.read(into: buffer) }
        let count = min(prefix.count, buffer.count)
        buffer.copyBytes(from: prefix.prefix(count))
        prefix.removeFirst(count)
        return count
    }
}
