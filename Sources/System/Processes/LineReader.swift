import Glibc

/// Reads lines from a descriptor, and closes it with itself. For one thread.
package final class LineReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The most bytes of a line. A longer one ends the reading, for the writer is not the one that is expected.
    private static let longest = 4 << 20
    /// The error that ended the input; 0 when it ended by itself, or has not ended.
    package private(set) var errorNumber: Int32 = 0

    /// - Parameter descriptor: the descriptor, which belongs to the reader from now on.
    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits for a line, and returns it without its end; nil at the end of the input, where half a line is dropped. read(2)
    package func next() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return Array(buffer[..<end])
            }
            searched = buffer.count
            if searched > Self.longest { return nil }
            let count = withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 1) { piece in
                let count = read(descriptor, piece.baseAddress!, piece.count)
                if count > 0 { buffer += piece[..<count] }
                return count
            }
            if count == 0 { return nil }
            if count < 0, errno != EINTR {
                errorNumber = errno
                return nil
            }
        }
    }
}
