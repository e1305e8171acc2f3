import Foundation
import Glibc
import System

/// The part of a download that is on the disk, with a note of the content that it belongs to.
final class PartialFile {
    /// The identity of the content.
    struct Note: Equatable {
        var address: String
        /// The strong entity tag, if there is one.
        var tag: String?

        var text: String { "\(address)\n\(tag ?? "")\n" }

        init(address: String, tag: String?) {
            self.address = address
            self.tag = tag
        }

        init?(text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 3, !lines[0].isEmpty else { return nil }
            self.init(address: String(lines[0]), tag: lines[1].isEmpty ? nil : String(lines[1]))
        }
    }

    let path: String
    let descriptor: Int32
    private let disk: FolderTools
    private var notePath: String { Self.notePath(path) }

    static func notePath(_ path: String) -> String { path + ".note" }

    /// Opens the file, which is created if it does not exist. open(2)
    init(path: String, on disk: FolderTools) throws {
        self.path = path
        self.disk = disk
        descriptor = disk.calls.open(
            AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
        if descriptor < 0 { throw FileError(.create, path: path, errno: errno) }
    }

    deinit { _ = disk.calls.close(descriptor) }

    var size: Int { stat(descriptor).map { Int($0.st_size) } ?? 0 }

    var note: Note? {
        SmallFile.content(of: notePath, limit: 1 << 16).flatMap { Note(text: String(decoding: $0, as: UTF8.self)) }
    }

    /// Cuts the file to `size` bytes, and writes the note for them. ftruncate(2)
    func begin(at size: Int, _ note: Note) throws {
        // Delete the old note first: a part without a note is never continued.
        if note != self.note { try removeNote() }
        try cut(to: size)
        if note != self.note { try disk.write(Array(note.text.utf8), to: notePath) }
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
        try bytes.withUnsafeBytes { try disk.write($0, to: descriptor, at: offset, path: path) }
    }

    /// Deletes the content and the note.
    func clear() throws {
        try removeNote()
        try cut(to: 0)
    }

    private func removeNote() throws {
        if disk.calls.unlink(AT_FDCWD, notePath) != 0, errno != ENOENT {
            throw FileError(.write, path: notePath, errno: errno)
        }
    }

    private func cut(to size: Int) throws {
        if disk.calls.truncate(descriptor, off_t(size)) != 0 { throw FileError(.write, path: path, errno: errno) }
    }
}
