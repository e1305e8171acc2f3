import Glibc

/// An open file, which is closed with its owner.
package struct OpenFile: ~Copyable {
    /// The file's path, for messages.
    package let path: String
    package let descriptor: Int32
    package let calls: FileCalls

    /// Opens a file in a folder without following a symbolic link or waiting for a pipe or device. While another process keeps others
    /// out, it waits up to five seconds. openat(2)
    ///
    /// - Parameters:
    ///   - name: the file's name in the folder.
    ///   - folder: the folder.
    ///   - flags: flags for `openat`, such as `O_RDWR | O_CREAT`.
    ///   - mode: the permissions of a file that is created.
    /// - Returns: nil when there is no file of that name and `flags` do not create it.
    /// - Throws: `StorageError` when the file can't be opened.
    package init?(
        _ name: String, in folder: borrowing OpenFolder, flags: Int32, mode: mode_t = 0
    ) throws(StorageError) {
        path = folder.path(of: name)
        calls = folder.calls
        let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var result: Int32
        var patience = Self.patience
        repeat {
            result = calls.open(folder.descriptor, name, flags, mode)
        } while result < 0 && (errno == EINTR || errno == EWOULDBLOCK && Self.waits(&patience))
        descriptor = result
        if result >= 0 { return }
        let code = errno
        // With O_CREAT, it is the folder that is gone.
        if code == ENOENT, flags & O_CREAT == 0 { return nil }
        throw StorageError("open", path: path, errno: code)
    }

    deinit { _ = calls.close(descriptor) }

    /// The file's status. fstat(2)
    package func status() throws(StorageError) -> stat {
        var status = stat()
        if calls.status(descriptor, &status) != 0 { throw StorageError("read", path: path, errno: errno) }
        return status
    }

    /// Whether this is a regular file, not a folder, a pipe, a socket or a device.
    package func isFile() throws(StorageError) -> Bool { try status().isFile }

    package func isSame(as other: borrowing OpenFile) throws(StorageError) -> Bool {
        let (own, others) = (try status(), try other.status())
        return own.st_ino == others.st_ino && own.st_dev == others.st_dev
    }

    /// Whether a name in a folder is that of this file. fstatat(2)
    package func hasName(_ name: String, in folder: borrowing OpenFolder) throws(StorageError) -> Bool {
        let own = try status()
        var named = stat()
        if calls.statusOf(folder.descriptor, name, &named) == 0 {
            return own.st_ino == named.st_ino && own.st_dev == named.st_dev
        }
        if errno == ENOENT { return false }
        throw StorageError("read", path: path, errno: errno)
    }

    /// Reads the whole file. pread(2)
    ///
    /// - Parameter limit: the most bytes to read.
    /// - Throws: `StorageError`, with the code `inTheWay` when this is not a regular file, and `tooLarge` when it holds more than
    ///   `limit` bytes.
    package func readAll(atMost limit: Int = 256 << 20) throws(StorageError) -> [UInt8] {
        if try !isFile() { throw notAFile }
        let status = try status()
        if status.st_size > limit { throw tooLarge(limit) }
        var bytes = [UInt8](repeating: 0, count: max(0, Int(status.st_size)) + 1)
        var count = 0
        while true {
            if count > limit { throw tooLarge(limit) }
            // There is room for one byte more than the file's size, so that the next read finds the end.
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: max(4096, bytes.count)) }
            let room = bytes.count - count
            let result = bytes.withUnsafeMutableBytes { [calls, descriptor] buffer in
                calls.read(descriptor, buffer.baseAddress! + count, room, off_t(count))
            }
            if result > 0 {
                count += result
            } else if result == 0 {
                bytes.removeLast(bytes.count - count)
                return bytes
            } else if errno != EINTR {
                throw StorageError("read", path: path, errno: errno)
            }
        }
    }

    /// The error for a path that is not that of a regular file.
    package var notAFile: StorageError {
        StorageError(.inTheWay, path: path, "can't use \(path): it is not a file; move it out of the way")
    }

    private func tooLarge(_ limit: Int) -> StorageError {
        StorageError(
            .tooLarge, path: path, "can't read \(path): it is larger than \(limit >> 20) MiB; move it out of the way")
    }

    /// Writes all of `bytes` at the descriptor's position, or at the end with `O_APPEND`. write(2)
    package func write(_ bytes: [UInt8]) throws(StorageError) {
        try put(bytes) { [calls, descriptor] address, count, _ in calls.write(descriptor, address, count) }
    }

    /// Writes all of `bytes` at an offset, in bytes, from the file's start. pwrite(2)
    package func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(StorageError) {
        try put(Array(bytes)) { [calls, descriptor] address, count, done in
            calls.writeAt(descriptor, address, count, off_t(offset + done))
        }
    }

    private func put(_ bytes: [UInt8], _ write: (UnsafeRawPointer, Int, Int) -> Int) throws(StorageError) {
        let code = bytes.withUnsafeBytes { Descriptor.writeAll($0, write) }
        if code != 0 { throw StorageError("write", path: path, errno: code) }
    }

    /// Flushes the file to the disk. fsync(2)
    ///
    /// After an error the kernel has discarded the bytes that it could not write, and a second flush would succeed without
    /// them: write them again.
    package func flush() throws(StorageError) {
        if calls.flush(descriptor) != 0 { throw StorageError("write", path: path, errno: errno) }
    }

    /// Takes the file's lock if it is free; it is released when the file is closed. flock(2)
    ///
    /// - Returns: false when another process holds it.
    package func tryLock() throws(StorageError) -> Bool {
        switch calls.tryLock(descriptor) {
        case .taken, .unknown: true
        case .held: false
        case .failed(let code): throw StorageError("lock", path: path, errno: code)
        }
    }

    /// Waits for the file's lock and takes it.
    ///
    /// - Throws: `StorageError` with the code `busy` when another process still holds the lock after five seconds.
    package func waitForLock() throws(StorageError) {
        var patience = Self.patience
        repeat { if try tryLock() { return } } while Self.waits(&patience)
        throw StorageError(
            .busy, path: path, "can't write \(path): another program holds it; try again when it has ended")
    }

    /// Keeps all others from opening the file until it is closed. Waits half a second for those that have it open. fcntl(2)
    ///
    /// - Returns: false when somebody still has it open, or its file system or its owner does not allow this.
    package func keepOthersOut() -> Bool {
        var patience = Self.patience / 10
        repeat {
            if calls.lease(descriptor) == 0 { return true }
        } while errno == EAGAIN && Self.waits(&patience)
        return false
    }

    /// So many times 5 ms it waits.
    private static let patience = 1000

    /// Waits 5 ms, unless the patience has come to its end.
    private static func waits(_ patience: inout Int) -> Bool {
        patience -= 1
        if patience > 0 { usleep(5000) }
        return patience > 0
    }
}
