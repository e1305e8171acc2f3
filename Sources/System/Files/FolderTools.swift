import Glibc

/// Durable operations on the files and folders of the store.
package struct FolderTools: Sendable {
    package let calls: FileCalls

    package init(_ calls: FileCalls = .system) { self.calls = calls }

    /// Creates a folder and the folders above it. mkdir(2)
    package func make(_ path: String, mode: mode_t = 0o755) throws {
        if calls.makeFolder(AT_FDCWD, path, mode) == 0 { return }
        let code = errno
        if code == EEXIST, Self.isFolder(path) { return }
        let parent = Self.parent(of: path)
        guard code == ENOENT, parent != path else {
            throw FileError(.create, path: path, errno: code == EEXIST ? ENOTDIR : code)
        }
        try make(parent, mode: mode)
        if calls.makeFolder(AT_FDCWD, path, mode) != 0, errno != EEXIST {
            throw FileError(.create, path: path, errno: errno)
        }
    }

    /// Removes a file, a link or a folder with its content. Links are not followed, and a missing file is no error.
    package func remove(_ path: String) throws {
        var status = stat()
        guard calls.statusOf(AT_FDCWD, path, &status) == 0 else {
            if errno == ENOENT { return }
            throw FileError(.remove, path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            if calls.unlink(AT_FDCWD, path) != 0, errno != ENOENT {
                throw FileError(.remove, path: path, errno: errno)
            }
            return
        }
        // A folder without write permission can't be emptied.
        if status.st_mode & S_IRWXU != S_IRWXU { _ = calls.setModeOf(AT_FDCWD, path, status.st_mode | S_IRWXU) }
        for name in try names(in: path) { try remove(path + "/" + name) }
        if calls.removeFolder(AT_FDCWD, path) != 0, errno != ENOENT {
            throw FileError(.remove, path: path, errno: errno)
        }
    }

    /// Removes a folder if it is empty. unlinkat(2)
    package func removeIfEmpty(_ folder: String) { _ = calls.removeFolder(AT_FDCWD, folder) }

    /// Returns the names in a folder; none if it does not exist. readdir(3)
    package func names(in folder: String) throws -> [String] {
        let descriptor = calls.open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        if descriptor < 0 {
            if errno == ENOENT { return [] }
            throw FileError(.read, path: folder, errno: errno)
        }
        defer { _ = calls.close(descriptor) }
        var names: [String] = []
        let code = calls.names(descriptor) { name in
            names.append(name)
            return true
        }
        if code != 0 { throw FileError(.read, path: folder, errno: errno) }
        return names
    }

    /// Whether a path leads to a folder, also through a symbolic link. stat(2)
    package static func isFolder(_ path: String) -> Bool { stat(path)?.isFolder ?? false }

    /// The absolute path of what a path leads to, without symbolic links; nil when it can't be resolved. realpath(3)
    package static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the free space for a user at `path`, in bytes; nil if it is not known. statvfs(3)
    package static func freeSpace(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// The folder that it is in: "." where the path does not say one.
    package static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
