import protocol Foundation.LocalizedError
import Glibc

/// The failure of a system call on a file.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The operation that failed.
    public struct Operation: RawRepresentable, Hashable, Sendable {
        /// The verb in the error's description.
        public let rawValue: String

        /// Creates an operation that the description names with the verb `rawValue`.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Opening a file.
        public static let open = Operation(rawValue: "open")
        /// Creating a file.
        public static let create = Operation(rawValue: "create")
        /// Reading from a file.
        public static let read = Operation(rawValue: "read")
        /// Writing to a file.
        public static let write = Operation(rawValue: "write")
        /// Flushing written data to the disk.
        public static let flush = Operation(rawValue: "flush")
        /// Replacing a file by a finished one.
        public static let replace = Operation(rawValue: "replace")
        /// Removing a file.
        public static let remove = Operation(rawValue: "remove")
        /// Running a file as a program.
        public static let start = Operation(rawValue: "start")
    }

    /// The operation that failed.
    public var operation: Operation
    /// The path of the file, or the name of a descriptor without one ("standard input"). Untrusted: strip control
    /// characters before it reaches a terminal.
    public var path: String
    /// The error number of the C library.
    public var errno: Int32

    /// Creates the error of `operation` on the file at `path`.
    public init(_ operation: Operation, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// A sentence without its full stop: `can't open /tmp/a.wav: Permission denied`.
    public var description: String {
        "can't \(operation.rawValue) \(path): \(errno.systemErrorText)"
    }

    /// The description, for Foundation.
    public var errorDescription: String? { description }
}
