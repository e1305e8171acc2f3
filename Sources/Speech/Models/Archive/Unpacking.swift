import Audio
import Glibc

/// Unpacks an archive into a folder that is empty.
///
/// `unzip -p` only unpacks: it writes one file after another into a pipe, and never sees a name or a folder of ours. We make the files,
/// cut the stream by the sizes of the plan and compare each checksum, so that nothing an archive says can lead anywhere else.
struct Unpacking {
    let archive: ArchiveFile
    let plan: ArchivePlan
    let stop: Stop
    let report: (_ done: Int) -> Void

    func run(into folder: String) throws {
        for name in plan.folders { try FolderTools.make(folder + "/" + name) }
        let child: ChildProcess
        do throws(FileError) {
            // Its environment may hold options that change what it does.
            child = try ChildProcess(
                "env",
                [
                    "-u", "UNZIP", "-u", "UNZIPOPT", "-u", "ZIPINFO", "-u", "ZIPINFOOPT", "LC_ALL=C.UTF-8", "unzip", "-p", "-qq",
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
        for name in plan.folders.reversed() { try FolderTools.flush(folder: folder + "/" + name) }
        try FolderTools.flush(folder: folder)
    }

    private func write(_ file: ArchivePlan.File, to folder: String, from stream: inout ChildStream, _ done: inout Int) throws {
        let path = folder + "/" + file.path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        if descriptor < 0 { throw FolderTools.failure(FileError(.create, path: path, errno: errno)) }
        defer { close(descriptor) }
        var checksum = CRC32()
        var written = 0
        while written < file.size {
            let bytes = try stream.next(atMost: file.size - written)
            try bytes.withUnsafeBytes { bytes in
                checksum.add(bytes)
                try FolderTools.write(bytes, to: descriptor, at: written, path: path)
            }
            written += bytes.count
            done += bytes.count
            report(done)
        }
        if checksum.value != file.checksum { throw damaged(file) }
        // Before the model gets its name: afterwards it must be whole, whatever happens.
        if fsync(descriptor) != 0 { throw FolderTools.failure(FileError(.write, path: path, errno: errno)) }
    }

    private func damaged(_ file: ArchivePlan.File) -> SpeechError {
        SpeechError(.archiveRefused, "the archive \(archive.path) is damaged at \(file.path)")
    }

    private func failure(of child: ChildProcess, _ file: ArchivePlan.File) throws -> any Error {
        try stop.check()
        // env(1): the program is not found.
        return child.wait() == .exited(127) ? Tool.missing("unzip") : damaged(file)
    }
}

/// What a child writes into its pipe, in pieces of wanted sizes.
private struct ChildStream {
    struct Ended: Error {}

    private let child: ChildProcess
    private let stop: Stop
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)
    private var rest = 0..<0

    init(child: ChildProcess, stop: Stop) {
        self.child = child
        self.stop = stop
    }

    /// At least one byte.
    mutating func next(atMost count: Int) throws -> ArraySlice<UInt8> {
        if rest.isEmpty, try !fill() { throw Ended() }
        let piece = rest.prefix(count)
        rest = rest.dropFirst(count)
        return buffer[piece]
    }

    mutating func isAtEnd() throws -> Bool { try rest.isEmpty && !fill() }

    /// read(2)
    private mutating func fill() throws -> Bool {
        try stop.check()
        while true {
            let count = read(child.output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            rest = 0..<max(0, count)
            return count > 0
        }
    }
}
