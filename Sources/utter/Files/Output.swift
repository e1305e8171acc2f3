import Glibc
import System

/// Standard output, for commands that write their answer in one piece.
enum Output {
    /// Writes text to standard output. Untrusted parts of it must be in their visible form.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - change: what the command has done, of which the text tells: a sentence for the error, so that nobody does it again.
    /// - Throws: `CommandError` when it can't be written, with exit code 0 when the reader has closed the pipe.
    static func write(_ text: String, after change: String? = nil) throws(CommandError) {
        let code = Descriptor.write(text, to: STDOUT_FILENO)
        if code == 0 { return }
        var error = failure(code)
        if let change { error.message += "; \(change)" }
        throw error
    }

    /// Whether the reader of standard output has closed the pipe. poll(2)
    static var readerHasGone: Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR) != 0
    }

    /// The error for a write to standard output that failed with this `errno`.
    static func failure(_ code: Int32) -> CommandError {
        var error = CommandError(FileError(.write, path: "standard output", errno: code))
        if code == EPIPE { error.exitCode = .ok }
        return error
    }
}
