import Audio
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
        let source = FileByteSource(descriptor: STDIN_FILENO, owned: false, name: "standard input")
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        do throws(FileError) {
            while bytes.count <= limit {
                let count = try source.read(into: buffer)
                if count == 0 { return bytes }
                bytes += buffer[..<count]
            }
        } catch {
            throw CommandError(error)
        }
        throw CommandError(
            "standard input is too large for the queue, which takes \(limit >> 20) MiB at most", .dataError)
    }
}
