import Dispatch
import Glibc
import System

/// Reports changes of the files in a folder until it is released. inotify(7)
package final class FolderWatch: Sendable {
    package enum Change: Hashable, Sendable {
        /// A file with this name was created, or renamed to it.
        case named(String)
        /// A file that was open for writing was closed, as when the process that held its lock ends.
        case closed(String)
        /// The file with this name was removed.
        case removed(String)
        /// The kernel dropped events, so anything may have changed.
        case unknown
        /// The folder itself was removed or renamed.
        case gone
    }

    // Set in init and only read afterwards.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Starts to watch a folder.
    ///
    /// - Parameters:
    ///   - path: the folder's path.
    ///   - tell: called with every change, on a queue of its own.
    /// - Throws: `OutboxError` when the folder can't be watched, as when the system has no watches left.
    package init(_ path: String, tell: @escaping @Sendable (Change) -> Void) throws(OutboxError) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        if descriptor < 0 { throw OutboxError("watch", path: path, errno: errno) }
        let mask =
            UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_DELETE)
            | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
        if inotify_add_watch(descriptor, path, mask) < 0 {
            let code = errno
            close(descriptor)
            throw OutboxError("watch", path: path, errno: code)
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "utter.outbox.watch"))
        source.setEventHandler { Self.readAll(descriptor, tell) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    private static func readAll(_ descriptor: Int32, _ tell: (Change) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress!, buffer.count)
                if count <= 0 { return }
                var offset = 0
                while offset < count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let start = offset + MemoryLayout<inotify_event>.size
                    offset = start + Int(event.len)
                    let name = String(decoding: buffer[start..<offset].prefix { $0 != 0 }, as: UTF8.self)
                    switch event.mask {
                    case _ where event.mask & UInt32(IN_Q_OVERFLOW) != 0: tell(.unknown)
                    case _ where event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0: tell(.gone)
                    case _ where event.mask & UInt32(IN_CLOSE_WRITE) != 0: tell(.closed(name))
                    case _ where event.mask & UInt32(IN_DELETE) != 0: tell(.removed(name))
                    default: tell(.named(name))
                    }
                }
            }
        }
    }
}
