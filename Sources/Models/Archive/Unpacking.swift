import Glibc
import System

/// Unpacks an archive into an empty folder.
///
/// `unzip -p` only decompresses: it writes one file after another to a pipe, and gets no name or folder to write to.
/// This code creates the files, divides the stream by the sizes in the plan, and compares each checksum, so no content
/// of an archive can write anywhere else.
struct Unpacking {
    let archive: ArchiveFile
    let plan: ArchivePlan
    let stop: ChildCancellation
    let disk: FolderTools
    let report: (_ done: Int) -> Void

    func run(into folder: String) throws {
        for name in plan.folders { try disk.make(folder + "/" + name) }
        let child: ChildProcess
        do throws(FileError) {
            // The environment may contain options of unzip.
            child = try ChildProcess(
                "env",
                [
                    "-u", "UNZIP", "-u", "UNZIPOPT", "-u", "ZIPINFO", "-u", "ZIPINFOOPT", "LC_ALL=C.UTF-8", "unzip",
                    "-p", "-qq",
                    "/dev/stdin",
                ],
                input: .descriptor(try archive.reopened()), errors: .nothing, survivesInterrupt: true)
        } catch {
            throw Tool.failure("unzip", error)
        }
        var stream = ChildStream(child: child, stop: stop)
        defer {
            child.kill()
            close(child.output)
            stop.release()
        }
        try stop.hold(child)
        var done = 0
        for file in plan.files {
            do { try write(file, to: folder, from: &stream, &done) } catch is ChildStream.Ended {
                throw try failure(of: child, file)
            }
        }
        guard try stream.isAtEnd() else { throw damaged(plan.files.last!) }
        try stop.check()
        guard child.wait() == .exited(0) else { throw try failure(of: child, plan.files.last!) }
        for name in plan.folders.reversed() { try disk.calls.flushFolder(at: folder + "/" + name) }
        try disk.calls.flushFolder(at: folder)
    }

    private func write(_ file: ArchivePlan.File, to folder: String, from stream: inout ChildStream, _ done: inout Int)
        throws
    {
        let path = folder + "/" + file.path
        let descriptor = disk.calls.open(
            AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        if descriptor < 0 { throw FolderTools.failure(FileError(.create, path: path, errno: errno)) }
        defer { _ = disk.calls.close(descriptor) }
        var checksum = CRC32()
        var written = 0
        while written < file.size {
            let bytes = try stream.next(atMost: file.size - written)
            try bytes.withUnsafeBytes { bytes in
                checksum.add(bytes)
                try disk.write(bytes, to: descriptor, at: written, path: path)
            }
            written += bytes.count
            done += bytes.count
            report(done)
        }
        if checksum.value != file.checksum { throw damaged(file) }
        // Flush before the model gets its name: from then on it must be complete, whatever happens.
        if disk.calls.flush(descriptor) != 0 {
            throw FolderTools.failure(FileError(.write, path: path, errno: errno))
        }
    }

    private func damaged(_ file: ArchivePlan.File) -> SpeechError {
        SpeechError(.archiveRefused, "the archive \(archive.path) is damaged at \(file.path)")
    }

    private func failure(of child: ChildProcess, _ file: ArchivePlan.File) throws -> any Error {
        try stop.check()
        // env(1) exits with 127 if it does not find the program.
        return child.wait() == .exited(127) ? Tool.missing("unzip") : damaged(file)
    }
}

/// The stream that a child writes to its pipe, read in pieces.
private struct ChildStream {
    struct Ended: Error {}

    private let child: ChildProcess
    private let stop: ChildCancellation
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var rest = 0..<0

    init(child: ChildProcess, stop: ChildCancellation) {
        self.child = child
        self.stop = stop
    }

    /// Returns the next bytes, at least one.
    mutating func next(atMost count: Int) throws -> ArraySlice<UInt8> {
        if rest.isEmpty, try !fill() { throw Ended() }
        let piece = rest.prefix(count)
        rest = rest.dropFirst(count)
        return buffer[piece]
    }

    mutating func isAtEnd() throws -> Bool { try rest.isEmpty && !fill() }

    private mutating func fill() throws -> Bool {
        try stop.check()
        rest = Descriptor.read(child.output, into: &buffer)?.indices ?? 0..<0
        return !rest.isEmpty
    }
}
