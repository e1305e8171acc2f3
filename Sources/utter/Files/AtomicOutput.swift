import CLinux
import Foundation
import Glibc
import Synchronization
import System

/// An output file that is there whole or not at all.
///
///     let output = try AtomicOutput(path: "talk.srt")
///     try output.write("1\n…")
///     try output.commit()
///
/// Text is written to a file without a name, so nothing is left of it when this process is killed. Only its owner may read it, for
/// it holds what was said. `commit()` flushes the file to the disk, gives it its name, replacing an earlier file, and flushes the
/// folder. `keepPart()` does so with `.part` after the name. Without either, the text is gone and an earlier file stays.
/// Anything but a regular file, such as `/dev/null` or a pipe, is written to directly.
///
/// Several tasks may write to it, one piece at a time.
final class AtomicOutput: Sendable {
    /// The path as the user gave it, for messages.
    let path: String
    private let folder: OutputFolder
    private let name: String
    /// The recording of which it is the text, and whether the text of another may stay in its place.
    private let recording: String?
    private let keepsOthers: Bool
    private let state: Mutex<State>

    private struct State {
        var target = Target.direct
        /// The open file; -1 when it is closed.
        var descriptor: Int32 = -1
        var length: off_t = 0
        /// The failure of a write, behind which nothing may stand.
        var failure: FileError?
    }

    private enum Target {
        case unnamed
        /// A file with a temporary name, on a file system that has no files without a name.
        case temporary(String)
        /// Not a regular file, or one that has its final name.
        case direct
    }

    /// The end of the name of an output that is not complete.
    static let partEnding = ".part"

    /// Opens an output at a path that a user gave. A symbolic link is followed only if no other user may write to its folder.
    ///
    /// - Parameter interruption: stops waiting for a reader, if the output is a pipe.
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
            try self.init(
                name, in: folder, path: path, followingToDevice: last == .linkToDevice, interruption: interruption)
            return
        }
        throw FileError(.create, path: path, errno: EISDIR)
    }

    /// Creates an output in a folder, so that one that can't be written to is found before the work begins. A symbolic link of that name is
    /// replaced.
    ///
    /// - Parameters:
    ///   - path: the path for messages; nil for that of the name in the folder.
    ///   - followingToDevice: whether a link of that name leads to something that is written to directly.
    ///   - recording: the path of the recording of which it is the text, which is noted beside it; nil for none.
    ///   - keepsOthers: whether the text of another recording stays, which is then an error.
    init(
        _ name: String, in folder: OutputFolder, path: String? = nil, followingToDevice: Bool = false,
        of recording: String? = nil, keepsOthers: Bool = false, interruption: Interruption? = nil
    ) throws(FileError) {
        let path = path ?? "\(folder.path)/\(name)"
        (self.path, self.folder, self.name) = (path, folder, name)
        (self.recording, self.keepsOthers) = (recording, keepsOthers)
        var state = State()
        switch try folder.status(of: name, for: path).map({ $0.st_mode & S_IFMT }) {
        case S_IFDIR: throw FileError(.create, path: path, errno: EISDIR)
        case S_IFLNK where followingToDevice:
            state.descriptor = try Self.openDevice(name, in: folder, path, flags: 0, interruption)
        case nil, S_IFREG, S_IFLNK:
            // Fail now rather than after hours of work.
            if name.utf8.count > NAME_MAX { throw FileError(.create, path: path, errno: ENAMETOOLONG) }
            (state.descriptor, state.target) = try Self.createFile(in: folder, path)
        default: state.descriptor = try Self.openDevice(name, in: folder, path, flags: O_NOFOLLOW, interruption)
        }
        self.state = Mutex(state)
    }

    deinit { abandon() }

    /// Appends text. If that fails, nothing of it is in a regular file, and nothing can be written any more. ftruncate(2)
    func write(_ text: String) throws(FileError) {
        try state.withLock { state throws(FileError) in
            if text.isEmpty { return }
            if let failure = state.failure { throw failure }
            let (descriptor, length) = (state.descriptor, state.length)
            precondition(descriptor >= 0, "written to after commit or abandon")
            let code = Descriptor.write(text, to: descriptor)
            if code == 0 {
                state.length += off_t(text.utf8.count)
                return
            }
            if case .direct = state.target {
            } else if ftruncate(descriptor, length) == 0 {
                lseek(descriptor, length, SEEK_SET)
            }
            let failure = FileError(.write, path: path, errno: code)
            state.failure = failure
            throw failure
        }
    }

    /// Notes that the text is still to be sent to the destinations, with an id.
    ///
    /// - Returns: false where that can't be noted.
    func noteUnsent(_ id: UUID) -> Bool {
        state.withLock { state in
            if case .direct = state.target { false } else { OutputAttributes.noteUnsent(id, in: state.descriptor) }
        }
    }

    /// Gives the file its name, durably, and removes the part that an earlier run left. Nothing can be written afterwards.
    ///
    /// - Parameter replaces: whether it takes the place of an earlier file.
    /// - Returns: false when an earlier file of the same recording has the name and stays.
    /// - Throws: `FileError`; the earlier file then stays and the new one is removed, unless only the folder's flush failed.
    @discardableResult
    func commit(replacing replaces: Bool = true) throws(FileError) -> Bool {
        let isPlaced = try state.withLock { state throws(FileError) in
            try place(&state, as: name, path: path, replacing: replaces)
        }
        if !isPlaced { return false }
        // Only a regular file of this user can be the part of an earlier run.
        let part = partName
        if let status = try? folder.status(of: part, for: path), status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        {
            unlinkat(folder.descriptor, part, 0)
        }
        return true
    }

    /// Keeps an incomplete output as a file with `.part` after the name; the file that has the final name stays. realpath(3)
    ///
    /// - Returns: the path of the part; nil when the output holds no text, or is not a regular file.
    func keepPart() throws(FileError) -> String? {
        let part = String(path.dropLast(excess) + Self.partEnding)
        let kept = try state.withLock { state throws(FileError) -> FileIdentity? in
            if case .direct = state.target { return nil }
            if state.length == 0 { return nil }
            let kept = FileIdentity(descriptor: state.descriptor)
            _ = try place(&state, as: partName, path: part, replacing: true)
            return kept
        }
        guard let kept else { return nil }
        if FileIdentity(path: part) == kept { return part }
        // A symbolic link was followed: the part lies beside the file that it leads to.
        return FolderTools.resolved("/proc/self/fd/\(folder.descriptor)").map { "\($0)/\(partName)" } ?? part
    }

    /// The name of the part: that of the output, as far as a name may have so many bytes with the ending.
    private var partName: String { name.dropLast(excess) + Self.partEnding }

    /// How many characters the name is too long for the part's ending.
    private var excess: Int {
        var start = name[...]
        while start.utf8.count + Self.partEnding.utf8.count > NAME_MAX { start.removeLast() }
        return name.count - start.count
    }

    /// Removes the temporary files that killed processes left in the output's folder.
    func sweepFolder() {
        if case .direct = state.withLock({ $0.target }) { return }
        OutputLitter.sweep(folder)
    }

    /// Removes what was written. Safe at any time; after a commit it does nothing.
    func abandon() { state.withLock { abandon(&$0) } }

    private func abandon(_ state: inout State) {
        if case .temporary(let name) = state.target { unlinkat(folder.descriptor, name, 0) }
        state.target = .direct
        if state.descriptor >= 0 { close(state.descriptor) }
        state.descriptor = -1
    }

    /// - Returns: false when an earlier file has the name, and is not to be replaced.
    private func place(
        _ state: inout State, as name: String, path: String, replacing replaces: Bool
    ) throws(FileError) -> Bool {
        precondition(state.descriptor >= 0, "committed twice or after abandon")
        if case .direct = state.target {
            try closeDescriptor(&state)
            return true
        }
        if let recording { OutputAttributes.note(recording, in: state.descriptor) }
        guard fsync(state.descriptor) == 0 else { throw FileError(.write, path: path, errno: errno) }
        guard try giveName(&state, name, path, replacing: replaces) else {
            abandon(&state)
            return false
        }
        state.target = .direct
        // The file stays locked until it has its name: a temporary file without a lock is taken for litter.
        try closeDescriptor(&state)
        try OutputFolder.flush(folder.descriptor, .write, for: path)
        return true
    }

    /// Gives the file its final name, replacing an earlier file that may go. linkat(2), renameat(2)
    ///
    /// - Returns: false when an earlier file has the name, and stays.
    private func giveName(
        _ state: inout State, _ name: String, _ path: String, replacing replaces: Bool
    ) throws(FileError) -> Bool {
        func refusal(_ code: Int32) -> FileError { FileError(.replace, path: path, errno: code) }
        let file = Self.link(to: state.descriptor)
        func link(as name: String) -> Bool {
            linkat(AT_FDCWD, file, folder.descriptor, name, AT_SYMLINK_FOLLOW) == 0
        }
        if case .unnamed = state.target {
            if link(as: name) { return true }
            guard errno == EEXIST else { throw refusal(errno) }
        }
        if keepsOthers, let recording, OutputAttributes.other(than: recording, of: name, in: folder) != nil {
            throw refusal(EEXIST)
        }
        if !replaces, folder.has(name) { return false }
        if case .unnamed = state.target {
            // linkat can't replace a file, so the new one gets a temporary name first.
            let temporary = OutputLitter.temporaryName()
            guard link(as: temporary) else { throw refusal(errno) }
            state.target = .temporary(temporary)
        }
        guard case .temporary(let temporary) = state.target else { return true }
        if renameat(folder.descriptor, temporary, folder.descriptor, name) != 0 { throw refusal(errno) }
        return true
    }

    private static func link(to descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

    /// Closes the file, where network file systems report failed writes. close(2)
    private func closeDescriptor(_ state: inout State) throws(FileError) {
        let result = close(state.descriptor)
        state.descriptor = -1
        // On Linux the descriptor is closed even after EINTR.
        if result != 0, errno != EINTR { throw FileError(.write, path: path, errno: errno) }
    }

    /// Creates a file without a name, or, where the system has none, a locked one with a temporary name. openat(2)
    private static func createFile(in folder: OutputFolder, _ path: String) throws(FileError) -> (Int32, Target) {
        let descriptor = openat(
            folder.descriptor, ".", O_WRONLY | O_DIRECTORY | Int32(CLINUX_FILE_WITHOUT_NAME) | O_CLOEXEC, 0o600)
        // Giving it a name needs /proc, which a container may not have.
        if descriptor >= 0, access(link(to: descriptor), F_OK) == 0 {
            // For the moment in which it has a temporary name.
            _ = FileCalls.system.tryLock(descriptor)
            return (descriptor, .unnamed)
        }
        if descriptor >= 0 { close(descriptor) }
        let locked = try OutputLitter.createLocked(in: folder, for: path)
        return (locked.descriptor, .temporary(locked.name))
    }

    /// Opens an output that is not a regular file. openat(2)
    private static func openDevice(
        _ name: String, in folder: OutputFolder, _ path: String, flags: Int32, _ interruption: Interruption?
    ) throws(FileError) -> Int32 {
        func failure(_ code: Int32) -> FileError { FileError(.create, path: path, errno: code) }
        while true {
            let descriptor = openat(folder.descriptor, name, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, 0)
                var status = stat()
                let code = fstat(descriptor, &status) == 0 ? 0 : errno
                // In a shared folder, another user may have put it there, or replaced it by a file since its type was read.
                let isPlanted = status.st_uid != geteuid() && status.st_uid != 0 && folder.isShared
                if code == 0, !isPlanted, status.st_mode & S_IFMT != S_IFREG { return descriptor }
                close(descriptor)
                throw failure(code == 0 ? EPERM : code)
            }
            // A pipe without a reader. The kernel does not report when one opens it.
            guard errno == ENXIO else { throw failure(errno) }
            if let interruption {
                if interruption.waitToRead([], milliseconds: 20) == nil { throw failure(EINTR) }
            } else {
                usleep(20_000)
            }
        }
    }
}
