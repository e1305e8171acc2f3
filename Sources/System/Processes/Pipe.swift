import CLinux
import Glibc
import Synchronization

/// A pipe whose two ends are closed with this object.
package final class Pipe: Sendable {
    package let reading: Int32
    package let writing: Int32
    private let isReadingOpen = Mutex(true)
    private let isWritingOpen = Mutex(true)

    /// Creates a pipe that no child process inherits. pipe2(2)
    ///
    /// - Returns: nil, with `errno` set, when there are no descriptors left.
    package init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { return nil }
        (reading, writing) = (ends[0], ends[1])
    }

    package func closeReading() { Self.close(reading, isReadingOpen) }
    package func closeWriting() { Self.close(writing, isWritingOpen) }

    private static func close(_ descriptor: Int32, _ isOpen: borrowing Mutex<Bool>) {
        isOpen.withLock { isOpen in
            if isOpen { _ = Glibc.close(descriptor) }
            isOpen = false
        }
    }

    deinit {
        closeReading()
        closeWriting()
    }
}
