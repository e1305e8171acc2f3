import Foundation
import Glibc

/// What is in a small file that need not be there, such as one that a user may write.
enum SmallFile {
    case content(Data)
    case missing
    case unreadable(errno: Int32)

    /// In bytes. What is behind is left out, and then the rest makes no sense.
    private static let maximumSize = 1 << 20

    /// open(2), read(2)
    static func read(_ path: String) -> SmallFile {
        // Not to wait for whoever writes to a pipe that stands there.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 { return [ENOENT, ENOTDIR].contains(errno) ? .missing : .unreadable(errno: errno) }
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while content.count < maximumSize {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, maximumSize - content.count))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return .unreadable(errno: errno) }
            if count == 0 { break }
            content += buffer[..<count]
        }
        return .content(content)
    }
}
