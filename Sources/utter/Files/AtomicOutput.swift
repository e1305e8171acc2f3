import Audio
import CLinux
import Glibc

/// An output file that is there whole or not at all.
///
///     let output = try AtomicOutput(path: "talk.srt")
///     try output.write("1\n…")
///     try output.commit()
///
/// What is written goes to a file that has no name yet, readable by its owner only, for it holds what people said; so nothing is left of
/// it when we are killed. `commit()` flushes it to the disk, gives it its name, replacing what was there, and flushes the
/// folder. `keepPart()` does the same with `.part` after the name. Dropped without either, it is gone, and what was there
/// stays. Something that isn't a file (`/dev/null`, a pipe) is written to directly.
final class AtomicOutput {
    /// As the user gave it, for messages.
    let path: String
    private let folder: OutputFolder
    private let name: String
    private var target: Target
    /// -1 when closed.
    private var descriptor: Int32 = -1

    private enum Target {
        /// A file without a name.
        case unnamed
        /// A file with a name of its own, on a file system that has no files without.
        case temporary(String)
        /// What is no file, or has its final name.
        case direct
    }

    /// The ending of the name of what is not whole.
    static let partEnding = ".part"

    /// Opens an output at a path that a user gave. A symbolic link is followed where it lies in a folder that nobody else may write to,
    /// and is refused elsewhere.
    ///
    /// - Parameter interruption: ends the waiting for somebody to read a pipe.
    convenience init(path: String, interruption: Interruption? = nil) throws(FileError) {
        if path.hasSuffix("/") { throw FileError(.create, path: path, errno: EISDIR) }
        var walk = try OutputWalk(path, as: path)
        while let name = walk.next() {
            guard walk.isAtLastName, ![".", ".."].contains(name) else {
                try walk.enter(name)
                continue
            }
            let last = try walk.last(name)
            if last == .further { continue }
            let folder = OutputFolder(descriptor: walk.takeFolder(), path: path)
            try self.init(name, in: folder, path: path, followingToDevice: last == .linkToDevice, interruption)
            return
        }
        throw FileError(.create, path: path, errno: EISDIR)
    }

    /// Opens an output in a folder. Where a symbolic link has its name, the link is replaced.
    convenience init(_ name: String, in folder: OutputFolder, interruption: Interruption? = nil) throws(FileError) {
        try self.init(name, in: folder, path: "\(folder.path)/\(name)", followingToDevice: false, interruption)
    }

    /// Makes the file, so that a folder that can't be written to is known before the work begins.
    private init(
        _ name: String, in folder: OutputFolder, path: String, followingToDevice: Bool, _ interruption: Interruption?
    ) throws(FileError) {
        (self.path, self.folder, self.name, target) = (path, folder, name, .direct)
        do throws(OutputFolder.Errno) {
            switch try folder.status(of: name).map({ $0.st_mode & S_IFMT }) {
            case S_IFDIR: throw OutputFolder.Errno(code: EISDIR)
            case S_IFLNK where followingToDevice: try openDevice(flags: 0, interruption)
            case nil, S_IFREG, S_IFLNK:
                // Known now rather than after hours of work.
                if name.utf8.count > NAME_MAX { throw OutputFolder.Errno(code: ENAMETOOLONG) }
                try createFile()
            default: try openDevice(flags: O_NOFOLLOW, interruption)
            }
        } catch {
            throw FileError(.create, path: path, errno: error.code)
        }
    }

    deinit { abandon() }

    /// Appends `text`.
    func write(_ text: String) throws(FileError) {
        precondition(descriptor >= 0, "written to after commit or abandon")
        let code = Descriptor.write(text, to: descriptor)
        if code != 0 { throw FileError(.write, path: path, errno: code) }
    }

    /// Makes what was written the file, durably, and removes the part that an earlier run left. Nothing can be written
    /// afterwards. If this throws, the old file may still be there and the new one is removed, unless only the folder's flush failed.
    func commit() throws(FileError) {
        try place(as: name, path: path)
        // One that is not ours to remove, or no file, is none of an earlier run.
        let part = name + Self.partEnding
        if let status = try? folder.status(of: part), status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() {
            unlinkat(folder.descriptor, part, 0)
        }
    }

    /// Keeps what was written as a part, beside the place where the whole would be; what is there by the final name stays.
    ///
    /// - Returns: the path of the part; nil where there is no file of which it could be one.
    func keepPart() throws(FileError) -> String? {
        if case .direct = target { return nil }
        let part = path + Self.partEnding
        try place(as: name + Self.partEnding, path: part)
        return part
    }

    /// Removes what runs that were killed have left in its folder.
    func sweepFolder() {
        if case .direct = target { return }
        OutputLitter.sweep(folder)
    }

    /// Removes what was written. Safe at any time; after a commit it does nothing.
    func abandon() {
        if case .temporary(let name) = target { unlinkat(folder.descriptor, name, 0) }
        target = .direct
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    private func place(as name: String, path: String) throws(FileError) {
        precondition(descriptor >= 0, "committed twice or after abandon")
        if case .direct = target { return try closeDescriptor() }
        guard fsync(descriptor) == 0 else { throw FileError(.write, path: path, errno: errno) }
        if !giveName(name) { throw FileError(.replace, path: path, errno: errno) }
        target = .direct
        // Locked until here: a file by a temporary name that nobody holds is litter.
        try closeDescriptor()
        do throws(OutputFolder.Errno) { try folder.flush() } catch { throw FileError(.write, path: path, errno: error.code) }
    }

    /// Gives the file its final name, in the place of what has it. linkat(2), renameat(2)
    ///
    /// - Returns: false with `errno` set when that fails.
    private func giveName(_ name: String) -> Bool {
        if case .unnamed = target {
            if link(as: name) { return true }
            guard errno == EEXIST else { return false }
            // A link can't replace anything, so for a moment it has another name.
            let temporary = OutputLitter.temporaryName()
            guard link(as: temporary) else { return false }
            target = .temporary(temporary)
        }
        guard case .temporary(let temporary) = target else { return true }
        return renameat(folder.descriptor, temporary, folder.descriptor, name) == 0
    }

    private func link(as name: String) -> Bool {
        linkat(AT_FDCWD, Self.link(to: descriptor), folder.descriptor, name, AT_SYMLINK_FOLLOW) == 0
    }

    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Network file systems tell of a failed write only here. close(2)
    private func closeDescriptor() throws(FileError) {
        let result = close(descriptor)
        descriptor = -1
        // On Linux the descriptor is closed even after EINTR.
        if result != 0, errno != EINTR { throw FileError(.write, path: path, errno: errno) }
    }

    /// Makes a file without a name, or where there can be none a locked one with a temporary name. openat(2)
    private func createFile() throws(OutputFolder.Errno) {
        descriptor = openat(
            folder.descriptor, ".", O_WRONLY | O_DIRECTORY | Int32(CLINUX_FILE_WITHOUT_NAME) | O_CLOEXEC, 0o600)
        // It gets its name by way of /proc, which a container may not have.
        if descriptor >= 0, access(Self.link(to: descriptor), F_OK) == 0 {
            // For the moment in which it has a temporary name.
            flock(descriptor, LOCK_EX | LOCK_NB)
            target = .unnamed
            return
        }
        if descriptor >= 0 { close(descriptor) }
        let temporary: String
        (descriptor, temporary) = try OutputLitter.createLocked(in: folder)
        target = .temporary(temporary)
    }

    /// Opens what isn't a file. openat(2)
    private func openDevice(flags: Int32, _ interruption: Interruption?) throws(OutputFolder.Errno) {
        while true {
            descriptor = openat(folder.descriptor, name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags)
            if descriptor >= 0 { break }
            // A pipe that nobody reads yet. The kernel tells nobody when that changes.
            guard errno == ENXIO else { throw OutputFolder.Errno(code: errno) }
            if let interruption {
                if interruption.waitToRead([], milliseconds: 20) == nil { throw OutputFolder.Errno(code: EINTR) }
            } else {
                usleep(20_000)
            }
        }
        _ = fcntl(descriptor, F_SETFL, 0)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OutputFolder.Errno(code: errno) }
        // In a folder of others it may have been put there for us to write to, or been replaced by a file since we looked.
        let isPlanted = status.st_uid != geteuid() && status.st_uid != 0 && folder.isShared
        if isPlanted || status.st_mode & S_IFMT == S_IFREG { throw OutputFolder.Errno(code: EPERM) }
    }
}
