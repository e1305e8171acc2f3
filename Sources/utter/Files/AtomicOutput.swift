import Audio
import Glibc

/// An output file that is there whole or not at all.
///
///     let output = try AtomicOutput(path: "talk.srt")
///     try output.write("1\n…")
///     try output.commit()
///
/// What is written goes to a hidden temporary file in the same folder, readable by its owner only, for it holds what
/// people said. `commit()` flushes it to the disk, gives it its name, replacing what was there, and flushes the folder.
/// Dropped without a commit, it is removed, and what was there stays. A symbolic link to a file
/// stays a link: the file it leads to is replaced. Something that isn't a file (`/dev/null`, a pipe) is written to directly.
final class AtomicOutput {
    /// As the user gave it, for messages.
    let path: String
    private let destination: String
    /// Nil once it has its final name, and for what isn't a file.
    private var temporaryPath: String?
    /// -1 when closed.
    private var descriptor: Int32 = -1

    /// Opens the temporary file, so that a folder that can't be written to is known before the work begins.
    init(path: String) throws(FileError) {
        self.path = path
        destination = try Self.resolve(path)
        if try opensDirectly() { return }
        try createTemporary()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if let temporaryPath { unlink(temporaryPath) }
    }

    /// Appends `text`.
    func write(_ text: String) throws(FileError) {
        precondition(descriptor >= 0, "written to after commit or abandon")
        let code = Descriptor.write(text, to: descriptor)
        if code != 0 { throw FileError(.write, path: path, errno: code) }
    }

    /// Makes what was written the file, durably. Nothing can be written afterwards. If this throws, the old file may
    /// still be there and the new one is removed, unless only the folder's flush failed.
    func commit() throws(FileError) {
        precondition(descriptor >= 0, "committed twice or after abandon")
        guard let temporaryPath else { return try closeDescriptor() }
        guard fsync(descriptor) == 0 else { throw FileError(.write, path: path, errno: errno) }
        try closeDescriptor()
        guard rename(temporaryPath, destination) == 0 else {
            throw FileError(.replace, path: path, errno: errno)
        }
        self.temporaryPath = nil
        try flushFolder()
    }

    /// Removes what was written. Safe at any time; after a commit it does nothing.
    func abandon() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if let temporaryPath { unlink(temporaryPath) }
        temporaryPath = nil
    }

    /// Network file systems tell of a failed write only here. close(2)
    private func closeDescriptor() throws(FileError) {
        let result = close(descriptor)
        descriptor = -1
        // On Linux the descriptor is closed even after EINTR.
        if result != 0, errno != EINTR { throw FileError(.write, path: path, errno: errno) }
    }

    /// Without this the new name may be forgotten when the power goes. fsync(2)
    private func flushFolder() throws(FileError) {
        let folder = open(Self.folder(of: destination), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder may allow writing and not reading: then it can't be flushed, and the file is in its place all the same.
        if folder < 0, errno == EACCES { return }
        guard folder >= 0 else { throw FileError(.write, path: path, errno: errno) }
        defer { close(folder) }
        // Some file systems can't flush a folder and say so with EINVAL.
        if fsync(folder) != 0, errno != EINVAL { throw FileError(.write, path: path, errno: errno) }
    }

    /// open(2) with a name that nobody has yet; mkostemp(3) is not in Glibc's module.
    private func createTemporary() throws(FileError) {
        while true {
            // A short name of its own: the destination's may already be as long as names can be.
            let name = "\(Self.folder(of: destination))/.utter-\(String(UInt64.random(in: 0...(.max)), radix: 36))"
            descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                temporaryPath = name
                return
            }
            if errno != EEXIST, errno != EINTR { throw FileError(.create, path: path, errno: errno) }
        }
    }

    /// Opens a destination that exists and isn't a regular file.
    /// - Returns: Whether it is open now.
    private func opensDirectly() throws(FileError) -> Bool {
        var status = stat()
        guard stat(destination, &status) == 0 else {
            if errno == ENOENT { return false }
            throw FileError(.create, path: path, errno: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return false
        case S_IFDIR: throw FileError(.create, path: path, errno: EISDIR)
        default: break
        }
        descriptor = open(destination, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(.create, path: path, errno: errno) }
        return true
    }

    /// Where the symbolic links lead, or `path` itself when there is nothing yet. realpath(3)
    private static func resolve(_ path: String) throws(FileError) -> String {
        if path.isEmpty { throw FileError(.create, path: path, errno: ENOENT) }
        if path.hasSuffix("/") { throw FileError(.create, path: path, errno: EISDIR) }
        var status = stat()
        // Pipes behind /dev/stdout have names that only look like paths, so only files are followed.
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return path }
        guard let resolved = realpath(path, nil) else { throw FileError(.create, path: path, errno: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
