import Foundation

/// Why something could not be kept, as a sentence for people, which says what to do about it, and a code for programs. `FileError` has the
/// bare facts, for files that the user named and knows what to do with.
///
/// The set of codes is open: new ones may come, so a `switch` over them needs a `default`. Neither the sentence nor the
/// code ever holds what a user said.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// Named by what the reader can do about it.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The disk, or the user's part of it, is full.
        public static let noSpace = Code(rawValue: "noSpace")
        /// The place is read-only, or belongs to somebody else.
        public static let notPermitted = Code(rawValue: "notPermitted")
        /// The folder that should hold it is not there (any more).
        public static let missing = Code(rawValue: "missing")
        /// Something else has the name: a folder, a link, a device.
        public static let inTheWay = Code(rawValue: "inTheWay")
        /// There is more in it than there can be.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Another program holds it.
        public static let busy = Code(rawValue: "busy")
        /// The process has too many files open, or the system no memory.
        public static let insufficientResources = Code(rawValue: "insufficientResources")
        /// Reading or writing failed on the way.
        public static let failed = Code(rawValue: "failed")
    }

    public let code: Code
    /// Untrusted: strip control characters before it reaches a terminal, as from `description`, which names it.
    public let path: String
    /// The C library's error number; 0 when no call failed.
    public let errno: Int32
    /// What happened, to what, and what to do about it: one plain sentence without a final stop.
    public let description: String

    public var errorDescription: String? { description }

    public init(_ code: Code, path: String, errno: Int32 = 0, _ description: String) {
        self.code = code
        self.path = path
        self.errno = errno
        self.description = description
    }

    /// A system call on a file that failed.
    ///
    /// - Parameter verb: what was tried: `write` in "can't write /x: No space left on device".
    package init(_ verb: String, path: String, errno: Int32) {
        let (code, advice) = Self.meaning(of: errno)
        // The system says of a link that there are too many.
        let reason = errno == ELOOP ? "" : String(cString: strerror(errno))
        let whole = [reason, advice].filter { !$0.isEmpty }.joined(separator: "; ")
        self.init(code, path: path, errno: errno, "can't \(verb) \(path): \(whole)")
    }

    private static func meaning(of errno: Int32) -> (Code, advice: String) {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: (.noSpace, "make room and try again")
        case EACCES, EPERM, EROFS: (.notPermitted, "choose a place that you may write to")
        case ENOENT, ENOTDIR, ESTALE: (.missing, "make its folder again or choose another place")
        case ELOOP: (.inTheWay, "it is a symbolic link; remove it, or put what it leads to in its place")
        case EWOULDBLOCK: (.busy, "another program holds it; try again when it has ended")
        case EISDIR, EEXIST, ENXIO, ENODEV: (.inTheWay, "move what is there out of the way")
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: (.insufficientResources, "close some programs and try again")
        default: (.failed, "")
        }
    }
}
