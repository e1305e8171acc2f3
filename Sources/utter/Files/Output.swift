import Audio
import Glibc

/// Standard output, for commands that write their answer in one piece.
enum Output {
    /// Writes text of our own making, with untrusted parts in their visible forms already.
    ///
    /// - Throws: `CommandError`; with exit code 0 when the reader has read enough.
    static func write(_ text: String) throws(CommandError) {
        let code = Descriptor.write(text, to: STDOUT_FILENO)
        if code != 0 { throw failure(code) }
    }

    /// A write to standard output that failed with an errno.
    static func failure(_ code: Int32) -> CommandError {
        var error = CommandError(FileError(.write, path: "standard output", errno: code))
        if code == EPIPE { error.exitCode = .ok }
        return error
    }
}
