import Glibc
import System

/// An archive on the disk. It stays open, so that the bytes that were checked are unpacked, whatever happens to its
/// name.
final class ArchiveFile {
    let path: String
    let descriptor: Int32
    /// The size of the archive, in bytes.
    let size: Int

    /// Opens the archive. open(2)
    ///
    /// - Throws: `FileError` if it can't be opened; `SpeechError` `.archiveRefused` if it is not a file.
    init(path: String) throws {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 { throw FileError(.open, path: path, errno: errno) }
        guard let status = stat(descriptor), status.isFile else {
            close(descriptor)
            throw SpeechError(
                .archiveRefused, "\(path) is not a file; --from takes a zip archive of a model, or a GGUF file")
        }
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads exactly `count` bytes at `offset`. pread(2)
    func read(_ offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = bytes.withUnsafeMutableBytes { bytes in
                Descriptor.retrying { pread(descriptor, bytes.baseAddress! + done, count - done, off_t(offset + done)) }
            }
            if result < 0 { throw FileError(.read, path: path, errno: errno) }
            if result == 0 { throw ZipDirectory.Failure("is cut off") }
            done += result
        }
        return bytes
    }

    /// Reads the table of contents of a file in GGUF format, which is whole as far as that says.
    ///
    /// - Throws: `ModelFileTable.Failure`; `FileError` if it can't be read.
    func table() throws -> ModelFileTable { try ModelFileTable(size: size, read: read) }

    /// Computes the checksum with a program of coreutils.
    func checksum(_ algorithm: Checksum.Algorithm, stop: ChildCancellation) throws -> Checksum {
        let child: ChildProcess
        do throws(FileError) {
            child = try ChildProcess(algorithm.program, [], input: .descriptor(try reopened()), survivesInterrupt: true)
        } catch {
            throw Tool.failure(algorithm.program, error)
        }
        defer { stop.release() }
        do { try stop.hold(child) } catch {
            close(child.output)
            throw error
        }
        let output = Tool.readAll(child.output)
        let end = child.wait()
        try stop.check()
        guard end == .exited(0),
            let sum = Checksum(algorithm, String(decoding: output.prefix { $0 != 0x20 }, as: UTF8.self))
        else {
            throw FileError(.read, path: path, errno: EIO)
        }
        return sum
    }

    /// The descriptor of this archive, positioned at its beginning. lseek(2)
    func reopened() throws(FileError) -> Int32 {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError(.read, path: path, errno: errno) }
        return descriptor
    }

    /// Returns the plan to unpack the archive.
    ///
    /// - Throws: `SpeechError` `.archiveRefused` if it is not safe to unpack.
    func plan() throws -> ArchivePlan {
        do {
            let directory = try ZipDirectory(size: size, read: read)
            return try ArchivePlan(directory.entries, archiveSize: size)
        } catch let failure as ZipDirectory.Failure {
            throw SpeechError(.archiveRefused, "the archive \(path) is refused: it \(failure.reason)")
        }
    }
}
