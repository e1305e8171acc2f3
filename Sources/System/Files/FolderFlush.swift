import Glibc

extension FileCalls {
    /// Brings the names in an open folder to the disk: without this the newest may be forgotten when the power goes. fsync(2)
    ///
    /// - Returns: 0, or the error number.
    package func flushFolder(_ descriptor: Int32) -> Int32 {
        // Some file systems can't flush a folder and say so with EINVAL.
        flush(descriptor) == 0 || errno == EINVAL ? 0 : errno
    }

    /// Flushes the names in a folder to the disk, which it opens for that. fsync(2)
    ///
    /// - Parameter folder: what the path is relative to.
    /// - Throws: `FileError`, of `open` or `write`.
    package func flushFolder(at path: String, in folder: Int32 = AT_FDCWD) throws(FileError) {
        let descriptor = self.open(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
        // A folder may allow writing and not reading: then it can't be flushed, and what is in it has its name all the same.
        if descriptor < 0, errno == EACCES { return }
        if descriptor < 0 { throw FileError(.open, path: path, errno: errno) }
        defer { _ = self.close(descriptor) }
        let code = flushFolder(descriptor)
        if code != 0 { throw FileError(.write, path: path, errno: code) }
    }
}
