import CLinux
import Glibc

/// A file in memory, without a name, that holds a program's input.
///
/// The program can read all of it even if this process is killed. From a pipe it would get only a part then, and deliver that
/// as the whole.
package final class MemoryFile: Sendable {
    package let descriptor: Int32

    /// Creates a file with these bytes. memfd_create(2)
    ///
    /// - Returns: nil, with `errno` set, when the system has no memory or no descriptors left.
    package init?(_ bytes: [UInt8]) {
        descriptor = Self.make()
        if descriptor < 0 { return nil }
        let code = bytes.withUnsafeBytes { [descriptor] bytes in
            Descriptor.writeAll(bytes) { pwrite(descriptor, $0, $1, off_t($2)) }
        }
        if code != 0 { return nil }
    }

    /// Creates a file with the bytes of another. sendfile(2)
    ///
    /// - Returns: nil when that is larger than a limit or can't be read, or the system has no memory or no descriptors left.
    package init?(copyOf path: String, atMost limit: Int) {
        let source = open(path, O_RDONLY | O_CLOEXEC)
        defer { if source >= 0 { _ = close(source) } }
        descriptor = Self.make()
        guard source >= 0, descriptor >= 0, let status = stat(source), status.st_size <= limit else { return nil }
        var count = 1
        while count != 0 {
            count = sendfile(descriptor, source, nil, 1 << 30)
            if count < 0, errno != EINTR { return nil }
        }
    }

    private static func make() -> Int32 {
        let closed = UInt32(CLINUX_MEMORY_FILE_CLOSED_ON_EXEC)
        var result = memfd_create("utter", closed | UInt32(CLINUX_MEMORY_FILE_NOT_EXECUTABLE))
        // Linux before 6.3 does not know the second flag; some later systems require it.
        if result < 0, errno == EINVAL { result = memfd_create("utter", closed) }
        return result
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}
