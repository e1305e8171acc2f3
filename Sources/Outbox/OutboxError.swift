import Foundation

/// An error of the outbox: a code for programs and a sentence for people.
///
/// A later version may have more codes, so a `switch` over them needs a `default`. Neither the sentence nor the code ever
/// holds what a user said.
public struct OutboxError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of an error, named by what the reader can do about it.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The disk, or the user's quota, is full.
        public static let noSpace = Code(rawValue: "noSpace")
        /// The place is read-only, or belongs to somebody else.
        public static let notPermitted = Code(rawValue: "notPermitted")
        /// The file or its folder does not exist, or no longer exists.
        public static let missing = Code(rawValue: "missing")
        /// Something else has the name: a folder, a symbolic link, a device.
        public static let inTheWay = Code(rawValue: "inTheWay")
        /// The file, or the text for it, is larger than the limit.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Another program uses the file.
        public static let busy = Code(rawValue: "busy")
        /// The process has too many files open, or the system no memory.
        public static let insufficientResources = Code(rawValue: "insufficientResources")
        /// Reading or writing failed for another reason.
        public static let failed = Code(rawValue: "failed")
        /// The input is not valid, such as a template without a place for the text.
        public static let invalid = Code(rawValue: "invalid")
    }

    public let code: Code
    /// The path of the file or folder; empty when the error is not about one.
    ///
    /// The path is untrusted: strip control characters from it, and from `description`, before they reach a terminal.
    public let path: String
    /// The C library's `errno`; 0 when no call failed.
    public let errno: Int32
    /// What happened, to what, and what to do about it: one plain sentence without a final stop.
    public let description: String

    public var errorDescription: String? { description }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: the kind of the error.
    ///   - path: the path of the file or folder; empty when the error is not about one.
    ///   - errno: the C library's `errno`; 0 when no call failed.
    ///   - description: one plain sentence without a final stop.
    public init(_ code: Code, path: String, errno: Int32 = 0, _ description: String) {
        self.code = code
        self.path = path
        self.errno = errno
        self.description = description
    }

    /// Creates the error of a failed system call.
    ///
    /// - Parameters:
    ///   - verb: what was tried: `write` in "can't write /x: No space left on device".
    ///   - path: the path of the file or folder.
    ///   - errno: the C library's `errno`.
    package init(_ verb: String, path: String, errno: Int32) {
        let (code, advice) = Self.meaning(of: errno)
        let reason = String(cString: strerror(errno))
        self.init(code, path: path, errno: errno, "can't \(verb) \(path): \(reason)\(advice.isEmpty ? "" : "; " + advice)")
    }

    private static func meaning(of errno: Int32) -> (Code, advice: String) {
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: (.noSpace, "make room and try again")
        case EACCES, EPERM, EROFS: (.notPermitted, "choose a place that you may write to")
        case ENOENT, ENOTDIR, ESTALE: (.missing, "make its folder again or choose another place")
        case ELOOP: (.inTheWay, "it is a symbolic link; give what it leads to")
        case EISDIR, EEXIST, ENXIO, ENODEV: (.inTheWay, "move what is there out of the way")
        case EMFILE, ENFILE, ENOMEM, ENOBUFS: (.insufficientResources, "close some programs and try again")
        default: (.failed, "")
        }
    }
}
