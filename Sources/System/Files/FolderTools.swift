import Glibc

/// Durable operations on the files and folders of the store.
package enum FolderTools {
    /// Flushes the names in a folder to the disk. fsync(2)
    package static func flush(folder: String) throws {
        do throws(FolderFlushFailure) { try FileCalls.system.flushFolder(at: folder) } catch {
            throw FileError(error.isOpening ? .open : .write, path: folder, errno: error.errno)
        }
    }

    /// Creates a folder and the folders above it. mkdir(2)
    package static func make(_ path: String, mode: mode_t = 0o755) throws {
        if mkdir(path, mode) == 0 { return }
        let code = errno
        var status = stat()
        if code == EEXIST, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        guard code == ENOENT, parent(of: path) != path else {
            throw FileError(.create, path: path, errno: code == EEXIST ? ENOTDIR : code)
        }
        try make(parent(of: path), mode: mode)
        if mkdir(path, mode) != 0, errno != EEXIST { throw FileError(.create, path: path, errno: errno) }
    }

    /// Removes a file, a link or a folder with its content. Links are not followed, and a missing file is no error.
    package static func remove(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw FileError(.remove, path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            if unlink(path) != 0, errno != ENOENT { throw FileError(.remove, path: path, errno: errno) }
            return
        }
        // A folder without write permission can't be emptied.
        if status.st_mode & S_IRWXU != S_IRWXU { _ = chmod(path, status.st_mode | S_IRWXU) }
        for name in try names(in: path) { try remove(path + "/" + name) }
        if rmdir(path) != 0, errno != ENOENT { throw FileError(.remove, path: path, errno: errno) }
    }

    /// Returns the names in a folder; none if it does not exist. readdir(3)
    package static func names(in folder: String) throws -> [String] {
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw FileError(.read, path: folder, errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
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
