import Glibc

/// An open folder. All work in it stays in this one folder, whatever happens to its path.
package struct OpenFolder: ~Copyable {
    /// Who chose the folder, which decides what happens when it is missing or a symbolic link.
    package enum Kind: Sendable {
        /// A folder of utter's own: it is created with the folders above it, and a symbolic link in its place is refused, for
        /// utter did not put it there.
        case own
        /// A folder that the user named: a symbolic link is followed. Only the folder itself is created, for if the one above
        /// it is missing, probably a disk is not mounted.
        case named
    }

    package let path: String
    package let descriptor: Int32
    let kind: Kind
    package let calls: FileCalls

    /// Opens a folder; if it is missing, creates it, readable by its owner only. openat(2), mkdirat(2)
    ///
    /// - Throws: `StorageError` when the folder can't be opened or created.
    package init(_ path: String, _ kind: Kind, calls: FileCalls = .system) throws(StorageError) {
        // With a slash at its end, a link would be followed.
        var path = path[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        self.path = String(path)
        self.kind = kind
        self.calls = calls
        var descriptor = Self.open(self.path, kind, calls)
        if descriptor < 0, errno == ENOENT {
            try Self.make(self.path, withParents: kind == .own, calls)
            descriptor = Self.open(self.path, kind, calls)
        }
        if descriptor < 0 { throw Self.failure(self.path, errno, calls) }
        self.descriptor = descriptor
    }

    deinit { _ = calls.close(descriptor) }

    /// Makes a folder of utter's own readable by its owner only, for it holds what was said. A folder that the user named keeps
    /// its permissions.
    package func keepPrivate() { if kind == .own { Self.keepPrivate(descriptor, calls) } }

    /// Makes a file in a folder of utter's own readable by its owner only. In a folder that the user named it keeps its permissions.
    package func keepPrivate(_ file: borrowing OpenFile) {
        if kind == .own { Self.keepPrivate(file.descriptor, calls) }
    }

    /// Takes the permissions of group and others away. An error, as on a read-only disk, is ignored. fstat(2), fchmod(2)
    private static func keepPrivate(_ descriptor: Int32, _ calls: FileCalls) {
        var status = stat()
        guard calls.status(descriptor, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        _ = calls.setMode(descriptor, status.st_mode & 0o7700)
    }

    /// Flushes the names in the folder to the disk. fsync(2)
    package func flush() throws(StorageError) {
        let code = calls.flushFolder(descriptor)
        if code != 0 { throw StorageError("write to", path: path, errno: code) }
    }

    /// The path of a name in the folder, for messages.
    package func path(of name: String) -> String { "\(path)/\(name)" }

    private static func open(_ path: String, _ kind: Kind, _ calls: FileCalls) -> Int32 {
        calls.open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (kind == .own ? O_NOFOLLOW : 0), 0)
    }

    private static func make(_ path: String, withParents: Bool, _ calls: FileCalls) throws(StorageError) {
        let parent = FolderTools.parent(of: path)
        var result = calls.makeFolder(AT_FDCWD, path, 0o700)
        if result != 0, errno == ENOENT, withParents, parent != path {
            try make(parent, withParents: true, calls)
            result = calls.makeFolder(AT_FDCWD, path, 0o700)
        }
        // If another process made it, the name may not be on the disk yet either.
        if result != 0, errno != EEXIST { throw failure(path, errno, calls) }
        do throws(FileError) { try calls.flushFolder(at: parent) } catch {
            if error.operation == .open { throw failure(parent, error.errno, calls) }
            throw StorageError("write to", path: parent, errno: error.errno)
        }
    }

    private static func failure(_ path: String, _ code: Int32, _ calls: FileCalls) -> StorageError {
        var status = stat()
        if code == ENOTDIR || code == ELOOP, calls.statusOf(AT_FDCWD, path, &status) == 0 {
            let isLink = status.st_mode & S_IFMT == S_IFLNK
            let what =
                isLink
                ? "a symbolic link stands in place of the folder \(path); give the folder it leads to, or remove it"
                : "\(path) is not a folder; choose another place or move it out of the way"
            return StorageError(.inTheWay, path: path, errno: code, what)
        }
        return StorageError("open the folder", path: path, errno: code)
    }
}
