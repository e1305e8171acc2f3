import Glibc

/// A file operation that the system refused.
struct FileError: Error, Equatable, Sendable {
    enum Operation: String, Sendable {
        case create
        case write
        /// Putting the finished file in its place.
        case replace
        /// Running it as a program.
        case start
    }

    var operation: Operation
    /// As the user gave it. Untrusted: `description` shows it in its visible form.
    var path: String
    /// The errno.
    var code: Int32

    /// "can't write /x/y.srt: No space left on device"
    var description: String {
        "can't \(operation.rawValue) \(TerminalText.visible(path)): \(String(cString: strerror(code)))"
    }

    var exitCode: ExitCode {
        switch code {
        case EACCES, EPERM, EROFS: .noPermission
        case EMFILE, ENFILE, ENOMEM: .osError
        default: operation == .create ? .cannotCreate : .ioError
        }
    }
}
