/// A source of consecutive bytes, such as a file, a pipe or, in a test, an array.
public protocol ByteSource {
    /// Reads up to `buffer.count` bytes into `buffer` and returns how many were read; 0 at the end. Waits until at
    /// least one byte can be read.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
