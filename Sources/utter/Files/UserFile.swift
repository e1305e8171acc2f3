import Foundation
import System

/// A small file that the user writes: the configuration, replacements, a vocabulary.
enum UserFile {
    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - subject: what it holds, as in "the replacements".
    ///   - code: the exit status where it can't be read; another where the system has no memory or descriptor left.
    /// - Returns: the bytes; nil when there is no such file.
    /// - Throws: `CommandError` when it can't be read.
    static func read(_ path: String, _ subject: String, _ code: ExitCode) throws(CommandError) -> Data? {
        let limit = 1 << 20
        switch SmallFile.read(path, limit: limit + 1) {
        case .content(let data) where data.count > limit:
            throw CommandError("can't read \(subject) \(path): it has more than 1 MiB", code)
        case .content(let data): return data
        case .missing: return nil
        case .notAFile: throw CommandError("can't read \(subject) \(path): it is not a file", code)
        case .unreadable(let number):
            throw CommandError(
                "can't read \(subject) \(path): \(number.systemErrorText)", number.isShortage ? .osError : code)
        }
    }

    /// Reads a text file in UTF-8, for example "the replacements"; nil when there is no such file.
    ///
    /// - Throws: `CommandError` when it can't be read, or is no text.
    static func text(_ path: String, _ subject: String) throws(CommandError) -> String? {
        guard let data = try read(path, subject, .noInput) else { return nil }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError("can't read \(subject) \(path): it is not a text file in UTF-8", .dataError)
        }
        // Some editors begin a file with a byte order mark.
        return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    }

    /// Reads a text file that must be there.
    static func required(_ path: String, _ subject: String) throws(CommandError) -> String {
        if let text = try text(path, subject) { return text }
        throw CommandError("can't read \(subject) \(path): there is no such file", .noInput)
    }
}
