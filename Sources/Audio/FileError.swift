import Glibc

/// A system call on a file failed.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried.
    public struct Operation: RawRepresentable, Hashable, Sendable {
        /// The verb as it stands in the description.
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let open = Operation(rawValue: "open")
        public static let create = Operation(rawValue: "create")
        public static let read = Operation(rawValue: "read")
        public static let write = Operation(rawValue: "write")
        /// Bringing what was written to the disk.
        public static let flush = Operation(rawValue: "flush")
        public static let close = Operation(rawValue: "close")
        /// Putting a finished file in the place of another.
        public static let replace = Operation(rawValue: "replace")
        public static let remove = Operation(rawValue: "remove")
        /// Running it as a program.
        public static let start = Operation(rawValue: "start")
    }

    public var operation: Operation
    /// The file's path, or what else the descriptor is called ("standard input"). Untrusted: strip control characters
    /// before it reaches a terminal.
    public var path: String
    /// The C library's error number.
    public var errno: Int32

    public init(_ operation: Operation, path: String, errno: Int32) {
        self.operation = operation
        self.path = path
        self.errno = errno
    }

    /// A sentence without its full stop: `can't open /tmp/a.wav: Permission denied`.
    public var description: String {
        "can't \(operation.rawValue) \(path): \(errno.systemErrorText)"
    }
}
