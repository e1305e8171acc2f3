import Foundation

/// What went wrong in recognition, as a sentence for people and a code for programs.
///
/// The set of codes is open: new ones may come, so a `switch` over them needs a `default`. Neither the sentence nor the
/// code ever holds what a user said.
public struct SpeechError: Error, Hashable, Sendable, CustomStringConvertible, LocalizedError {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Input that starts before the end of the input before it.
        public static let audioDisordered = Code(rawValue: "audioDisordered")
        /// Audio could not be read from where it comes from.
        public static let audioReadFailed = Code(rawValue: "audioReadFailed")
        /// The analyzer, or the module, has finished; it takes nothing more.
        public static let finished = Code(rawValue: "finished")
        /// A module works for one analyzer, once.
        public static let moduleInUse = Code(rawValue: "moduleInUse")
        /// There is no model at that place, by that name or for that locale.
        public static let noModel = Code(rawValue: "noModel")
        /// What was asked for means several models; the sentence names them.
        public static let ambiguousModel = Code(rawValue: "ambiguousModel")
        /// The network is away, or broke off; it may work later.
        public static let networkUnavailable = Code(rawValue: "networkUnavailable")
        /// The server has not got what is wanted.
        public static let downloadRefused = Code(rawValue: "downloadRefused")
        /// What came is not what was asked for: another size or checksum, a web page, no archive, one that is not safe to open.
        public static let archiveRefused = Code(rawValue: "archiveRefused")
        /// The disk has not enough room.
        public static let insufficientSpace = Code(rawValue: "insufficientSpace")
        /// A program that does a part of the work is not installed.
        public static let programMissing = Code(rawValue: "programMissing")
        /// The model is not one to change: another program's, or one that came with utter.
        public static let notOwnModel = Code(rawValue: "notOwnModel")
        /// The folder is there, but it is not a whole model.
        public static let modelIncomplete = Code(rawValue: "modelIncomplete")
        /// The model is there and whole as far as one can see, and the engine refused it.
        public static let modelLoadFailed = Code(rawValue: "modelLoadFailed")
        /// The model's vocabulary is fixed, or holds none of the words asked for.
        public static let vocabularyNotSupported = Code(rawValue: "vocabularyNotSupported")
        /// The engine failed in the middle of its work.
        public static let moduleOutputFailed = Code(rawValue: "moduleOutputFailed")
        /// The system would not give memory, a file or a folder.
        public static let insufficientResources = Code(rawValue: "insufficientResources")
    }

    public let code: Code
    /// What happened, to what, and what to do about it: one plain sentence without a final stop.
    public let description: String

    public var errorDescription: String? { description }

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
