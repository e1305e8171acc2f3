import Foundation
import Glibc

/// The content of a small file that may be missing, such as one that the user may write.
package enum SmallFile {
    /// The bytes of the file.
    case content(Data)
    /// There is no such file.
    case missing
    /// The path is that of a pipe, a device or a socket, which may give nothing or never end.
    case notAFile
    /// The file can't be read.
    case unreadable(errno: Int32)

    /// Reads the file at `path`. open(2), read(2)
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - limit: the most bytes to read. The rest of a longer file is left out.
    package static func read(_ path: String, limit: Int = 1 << 20) -> SmallFile {
        // O_NONBLOCK: a pipe at this path must not make open(2) wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        if descriptor < 0 {
            switch errno {
            case ENOENT, ENOTDIR: return .missing
            case ENXIO, ENODEV: return .notAFile
            default: return .unreadable(errno: errno)
            }
        }
        defer { close(descriptor) }
        guard let status = stat(descriptor) else { return .unreadable(errno: errno) }
        if status.isFolder { return .unreadable(errno: EISDIR) }
        if !status.isFile { return .notAFile }
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

    /// Returns the content of the file at `path`, up to `limit` bytes, or `nil` if it can't be read for any reason.
    package static func content(of path: String, limit: Int) -> Data? {
        if case .content(let data) = read(path, limit: limit) { data } else { nil }
    }
}
