import Foundation
import Glibc

/// What is in a small file that need not be there, such as one that a user may write.
package enum SmallFile {
    case content(Data)
    case missing
    /// A pipe, a device, a socket: it might never give anything, or never end.
    case notAFile
    case unreadable(errno: Int32)

    /// - Parameter limit: in bytes. What is behind is left out, and then the rest makes no sense. open(2), read(2)
    package static func read(_ path: String, limit: Int = 1 << 20) -> SmallFile {
        // Not to wait for whoever writes to a pipe that stands there.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            switch errno {
            case ENOENT, ENOTDIR: return .missing
            case ENXIO, ENODEV: return .notAFile
            default: return .unreadable(errno: errno)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) != 0 { return .unreadable(errno: errno) }
        if status.st_mode & S_IFMT == S_IFDIR { return .unreadable(errno: EISDIR) }
        if status.st_mode & S_IFMT != S_IFREG { return .notAFile }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while content.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - content.count))
            if count < 0, errno == EINTR { continue }
            if count < 0 { return .unreadable(errno: errno) }
            if count == 0 { break }
            content += buffer[..<count]
        }
        return .content(content)
    }

    /// What is in it; nil when it can't be read for whatever reason.
    package static func content(of path: String, limit: Int) -> Data? {
        if case .content(let data) = read(path, limit: limit) { data } else { nil }
    }
}
