import CLinux
import Glibc

/// Bytes as a file that has no name. A program reads them whole from it even when we are killed meanwhile; at the end of a pipe
/// it would take the part that it has got for all of it, and deliver that.
final class MemoryFile: Sendable {
    let descriptor: Int32

    /// memfd_create(2)
    ///
    /// - Returns: nil with `errno` set when the system has no room for it.
    init?(_ bytes: [UInt8]) {
        let closed = UInt32(CLINUX_MEMORY_FILE_CLOSED_ON_EXEC)
        var result = memfd_create("utter", closed | UInt32(CLINUX_MEMORY_FILE_NOT_EXECUTABLE))
        // Systems before Linux 6.3 don't know the second, some after it refuse to do without.
        if result < 0, errno == EINVAL { result = memfd_create("utter", closed) }
        descriptor = result
        if descriptor < 0 { return nil }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(done)) }
            if count < 0, errno != EINTR { return nil }
            done += max(0, count)
        }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }
}
