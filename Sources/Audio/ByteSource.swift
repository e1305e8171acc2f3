/// Where bytes come from, one after another: a file, a pipe, an array in a test.
public protocol ByteSource {
    /// Reads up to `buffer.count` bytes into `buffer`, waiting until there is at least one, and returns how many were
    /// read; 0 at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
