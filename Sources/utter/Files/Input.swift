import Audio
import Glibc
import System

/// Standard input, for commands that take all of it at once.
enum Input {
    /// The text that a command is given: its operands with spaces between them; without any, or with `-`, standard input without a last
    /// newline.
    ///
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
    /// - Throws: `CommandError` when there are more than `limit` bytes, or when standard input can't be read.
    static func read(atMost limit: Int) throws(CommandError) -> [UInt8] {
        var source = FileByteSource(descriptor: STDIN_FILENO, owned: false, name: "standard input")
        let bytes: [UInt8]
        do { bytes = try source.bytes(atMost: limit + 1) } catch { throw CommandError(error) }
        if bytes.count <= limit { return bytes }
        throw CommandError(
            "standard input is too large for the queue, which takes \(limit >> 20) MiB at most", .dataError)
    }
}

extension ByteSource {
    /// The next bytes: fewer than `limit` only at the end.
    mutating func bytes(atMost limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let count = try piece.withUnsafeMutableBytes { piece in
                try read(into: UnsafeMutableRawBufferPointer(rebasing: piece[..<min(piece.count, limit - bytes.count)]))
            }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}
