import Glibc
import System

/// Standard input, for commands that take all of it at once.
enum Input {
    /// The text that a command is given: its operands with spaces between them; without any, or with `-`, standard input without a last
    /// newline.
    ///
    /// - Parameter limit: the most bytes to read.
    /// - Throws: `CommandError` when standard input can't be read, has more bytes, or is not UTF-8.
    static func text(of operands: [String], atMost limit: Int) throws(CommandError) -> String {
        if !operands.isEmpty && operands != ["-"] { return operands.joined(separator: " ") }
        guard let input = String(validating: try read(atMost: limit), as: UTF8.self) else {
            throw CommandError("standard input holds no text in UTF-8", .dataError)
        }
        return input.hasSuffix("\n") ? String(input.dropLast()) : input
    }

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
