import Glibc
import System

/// Standard input, for commands that take all of it at once.
enum Input {
    /// Reads all of standard input. read(2)
    ///
    /// - Parameter limit: the most bytes to read.
    /// - Throws: `CommandError` when there are more than `limit` bytes, or when standard input can't be read.
    static func read(atMost limit: Int) throws(CommandError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
                if bytes.count > limit {
                    throw CommandError(
                        "standard input is too large for the queue, which takes \(limit >> 20) MiB at most", .dataError)
                }
            } else if errno == EAGAIN {
                // Another program made the terminal or pipe non-blocking.
                var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                _ = poll(&ready, 1, -1)
            } else if errno != EINTR {
                throw CommandError(FileError(.read, path: "standard input", errno: errno))
            }
        }
    }
}
