import CLinux
import Glibc

/// Every system call that this library makes on files and folders, so that a test can record them, make them fail, or
/// simulate a disk. They take and return what the C functions do, `errno` included.
///
/// Names are relative to an open folder, so that no other folder can take its place between two calls. The store of models, whose
/// paths are given, has none open: its calls have `AT_FDCWD` for the folder.
package struct FileCalls: Sendable {
    /// openat(2)
    package var open: @Sendable (_ folder: Int32, _ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 = {
        Glibc.openat($0, $1, $2, $3)
    }
    /// close(2)
    package var close: @Sendable (_ descriptor: Int32) -> Int32 = { Glibc.close($0) }
    /// pread(2)
    package var read: @Sendable (_ descriptor: Int32, UnsafeMutableRawPointer, Int, _ offset: off_t) -> Int =
        Glibc.pread
    /// write(2)
    package var write: @Sendable (_ descriptor: Int32, UnsafeRawPointer, Int) -> Int = { Glibc.write($0, $1, $2) }
    /// pwrite(2)
    package var writeAt: @Sendable (_ descriptor: Int32, UnsafeRawPointer, Int, _ offset: off_t) -> Int =
        Glibc.pwrite
    /// Cuts a file to a length in bytes, or lengthens it. ftruncate(2)
    package var truncate: @Sendable (_ descriptor: Int32, _ length: off_t) -> Int32 = { Glibc.ftruncate($0, $1) }
    /// Reserves space on the disk, in bytes, without changing the file's size. fallocate(2)
    package var allocate: @Sendable (_ descriptor: Int32, _ offset: off_t, _ length: off_t) -> Int32 = {
        CLinux.fallocate($0, Int32(CLINUX_ALLOCATE_KEEPING_SIZE), $1, $2)
    }
    /// Flushes a file or a folder to the disk. fsync(2)
    package var flush: @Sendable (_ descriptor: Int32) -> Int32 = { Glibc.fsync($0) }
    /// flock(2)
    package var lock: @Sendable (_ descriptor: Int32, _ operation: Int32) -> Int32 = { flock($0, $1) }
    /// Takes a lease on a file: as long as it is open here, whoever opens it waits. It fails while anybody else has it open. fcntl(2)
    package var lease: @Sendable (_ descriptor: Int32) -> Int32 = { descriptor in
        // The kernel sends a signal when somebody wants to open the file; this one is ignored unless a process asks for it.
        let code = Glibc.fcntl(descriptor, Int32(CLINUX_SET_SIGNAL), SIGURG)
        return code == 0 ? Glibc.fcntl(descriptor, Int32(CLINUX_SET_LEASE), Int32(F_WRLCK)) : code
    }
    /// fstat(2)
    package var status: @Sendable (_ descriptor: Int32, inout stat) -> Int32 = { Glibc.fstat($0, &$1) }
    /// Gets the status of a file by its name; that of a symbolic link is the link's own. fstatat(2)
    package var statusOf: @Sendable (_ folder: Int32, _ name: String, inout stat) -> Int32 = {
        Glibc.fstatat($0, $1, &$2, AT_SYMLINK_NOFOLLOW)
    }
    /// Gives a file a second name, unless that name is taken. linkat(2)
    package var link: @Sendable (_ folder: Int32, _ from: String, _ to: String) -> Int32 = {
        Glibc.linkat($0, $1, $0, $2, 0)
    }
    /// renameat(2)
    package var rename: @Sendable (_ folder: Int32, _ from: String, _ newFolder: Int32, _ to: String) -> Int32 = {
        Glibc.renameat($0, $1, $2, $3)
    }
    /// unlinkat(2)
    package var unlink: @Sendable (_ folder: Int32, _ name: String) -> Int32 = { Glibc.unlinkat($0, $1, 0) }
    /// mkdirat(2)
    package var makeFolder: @Sendable (_ folder: Int32, _ path: String, _ mode: mode_t) -> Int32 = {
        Glibc.mkdirat($0, $1, $2)
    }
    /// Removes an empty folder. unlinkat(2)
    package var removeFolder: @Sendable (_ folder: Int32, _ path: String) -> Int32 = {
        Glibc.unlinkat($0, $1, AT_REMOVEDIR)
    }
    /// fchmod(2)
    package var setMode: @Sendable (_ descriptor: Int32, _ mode: mode_t) -> Int32 = { Glibc.fchmod($0, $1) }
    /// Sets the mode of what has a name, which may not be allowed to be opened. fchmodat(2)
    package var setModeOf: @Sendable (_ folder: Int32, _ name: String, _ mode: mode_t) -> Int32 = {
        Glibc.fchmodat($0, $1, $2, 0)
    }
    /// Calls `body` with the bytes of every name in an open folder, and whether it names a regular file, until `body` returns
    /// false. readdir(3)
    package var nameBytes:
        @Sendable (_ folder: Int32, _ body: (UnsafeRawBufferPointer, _ isFile: Bool) -> Bool) -> Int32 = listNames

    /// Creates a table of the C library's functions.
    package init() {}
    /// The C library's functions.
    package static let system = FileCalls()

    /// Calls `body` with every name in an open folder, until it returns false. Names that are not UTF-8 are skipped, for utter
    /// gives no such name.
    package func names(_ folder: Int32, _ body: (String) -> Bool) -> Int32 {
        nameBytes(folder) { bytes, _ in String(validating: bytes, as: UTF8.self).map(body) ?? true }
    }

    /// Reads the names through a second descriptor, since a folder's descriptor has a position. readdir(3)
    private static func listNames(_ folder: Int32, _ body: (UnsafeRawBufferPointer, Bool) -> Bool) -> Int32 {
        let descriptor = Glibc.openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return -1 }
        guard let stream = fdopendir(descriptor) else {
            let code = errno
            _ = Glibc.close(descriptor)
            errno = code
            return -1
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 ? 0 : -1 }
            let type = Int(entry.pointee.d_type)
            let goesOn = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
                    let isDots = bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
                    return isDots || body(bytes, type == DT_REG || type == DT_UNKNOWN && isFile(name, in: descriptor))
                }
            }
            if !goesOn { return 0 }
        }
    }

    /// Whether a name is that of a regular file, for file systems that do not report it with the name. fstatat(2)
    private static func isFile(_ name: UnsafePointer<CChar>, in folder: Int32) -> Bool {
        var status = stat()
        return Glibc.fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
