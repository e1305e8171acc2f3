import Foundation

/// An error of recognition, with a code for programs and a sentence for people.
///
/// The set of codes is open: new ones may be added, so a `switch` over them needs a `default`. Neither the sentence nor
/// the code ever contains what a user said.
public struct SpeechError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    /// The kind of an error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The name of the code.
        public let rawValue: String
        /// Creates a code with the name `rawValue`.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no model with that path, with that name or for that locale.
        public static let noModel = Code(rawValue: "noModel")
        /// The reference means several models; the description names them.
        public static let ambiguousModel = Code(rawValue: "ambiguousModel")
        /// There is no network, or it was interrupted; it may work later.
        public static let networkUnavailable = Code(rawValue: "networkUnavailable")
        /// The server does not have the file, or refuses to send it.
        public static let downloadRefused = Code(rawValue: "downloadRefused")
        /// The download is not what was requested: another size or checksum, a web page, not an archive, or one that is
        /// not safe to unpack.
        public static let archiveRefused = Code(rawValue: "archiveRefused")
        /// There is not enough space on the disk.
        public static let insufficientSpace = Code(rawValue: "insufficientSpace")
        /// A program that does part of the work is not installed.
        public static let programMissing = Code(rawValue: "programMissing")
        /// The model may not be changed: it belongs to another program, or came with utter.
        public static let notOwnModel = Code(rawValue: "notOwnModel")
        /// The folder exists, but is not a complete model.
        public static let modelIncomplete = Code(rawValue: "modelIncomplete")
        /// The system has no more memory, files or folders to give.
        public static let insufficientResources = Code(rawValue: "insufficientResources")
    }

    /// The kind of the error.
    public let code: Code
    /// One plain sentence, without a full stop, that says what happened to what, and what to do about it.
    public let description: String

    /// The description, for Foundation.
    public var errorDescription: String? { description }

    /// Creates an error of the kind `code` with a description.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
