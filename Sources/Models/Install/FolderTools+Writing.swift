import Glibc
import System

/// What is written to files of the store, durably.
extension FolderTools {
    /// Writes all of `bytes` at a place. pwrite(2)
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int, path: String) throws {
        let code = Descriptor.writeAll(bytes) { calls.writeAt(descriptor, $0, $1, off_t(offset + $2)) }
        if code != 0 { throw Self.failure(FileError(.write, path: path, errno: code)) }
    }

    /// Writes a file that is there whole or not at all. rename(2)
    func write(_ bytes: [UInt8], to path: String) throws {
        let temporary = path + Self.temporaryEnd + String(UInt64.random(in: 0...(.max)), radix: 36)
        let descriptor = calls.open(AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw FileError(.create, path: path, errno: errno) }
        do {
            defer { _ = calls.close(descriptor) }
            try bytes.withUnsafeBytes { try write($0, to: descriptor, at: 0, path: path) }
            if calls.flush(descriptor) != 0 { throw FileError(.write, path: path, errno: errno) }
            if calls.rename(AT_FDCWD, temporary, AT_FDCWD, path) != 0 {
                throw FileError(.replace, path: path, errno: errno)
            }
        } catch {
            _ = calls.unlink(AT_FDCWD, temporary)
            throw error
        }
        try calls.flushFolder(at: Self.parent(of: path))
    }

    /// Removes what earlier writes to `path` left, which were killed or could not remove it themselves. The caller has a lock
    /// that every writer of the file takes.
    func removeLitter(ofWritesTo path: String) throws {
        let folder = Self.parent(of: path)
        for found in try names(in: folder).map({ folder + "/" + $0 }) where found.hasPrefix(path + Self.temporaryEnd) {
            try remove(found)
        }
    }

    private static let temporaryEnd = ".new-"

    /// A disk that has filled up has a sentence of its own.
    static func failure(_ error: FileError) -> any Error {
        guard [ENOSPC, EDQUOT].contains(error.errno) else { return error }
        return SpeechError(
            .insufficientSpace, "the disk with \(error.path) is full; make room and run the same command again")
    }
}
