import Audio
import Foundation
import Glibc
import Synchronization
import System

/// Passes bytes on to a program's standard input, on a thread of its own, until either end is gone.
final class PipeRelay: Sendable {
    private let readError = Mutex<(any Error)?>(nil)

    /// Starts to pass bytes on to a pipe, which is closed behind the last.
    init(_ source: sending any ByteSource, to pipe: Int32) {
        nonisolated(unsafe) let source = source
        Thread.detachNewThread { [self] in
            var source = source
            do {
                while try Self.pass(&source, to: pipe) {}
            } catch {
                readError.withLock { $0 = error }
            }
            close(pipe)
        }
    }

    /// The error of reading, once the pipe is closed; nil where there is none.
    var error: (any Error)? { readError.withLock { $0 } }

    /// Passes on a piece.
    ///
    /// - Returns: false at the end of either side.
    private static func pass(_ source: inout any ByteSource, to pipe: Int32) throws -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
            let count = try source.read(into: buffer)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            return count > 0 && Descriptor.write(piece, to: pipe) == 0
        }
    }
}
