import Audio
import Glibc
import Synchronization

/// Keeps what is heard in a WAV file that can be read at any moment. What was lost on the way is silence in it, so that its times are
/// those of the text.
final class AudioSaver: Sendable {
    private struct State: ~Copyable {
        // Used under the lock only.
        var writer: WAVWriter
        /// Nothing more is written after an error, or the end.
        var isClosed = false
    }

    private let path: String
    private let state: Mutex<State>
    /// Told the first error. What is heard is still transcribed.
    private let failed: @Sendable (any Error) -> Void

    /// Seconds of silence that a gap becomes at most: a clock that jumped must not fill the disk.
    private static let longestGap = 3600

    /// - Throws: `FileError`; with EEXIST if there is such a file.
    init(path: String, sampleRate: Int, failed: @escaping @Sendable (any Error) -> Void) throws(FileError) {
        self.path = path
        state = Mutex(State(writer: try WAVWriter(path: path, sampleRate: sampleRate, channelCount: 1)))
        self.failed = failed
    }

    /// - Parameter position: where the samples stand, counted from the file's first.
    func write(_ samples: [Int16], at position: Int64) {
        guarded { writer in
            var gap = Swift.min(position - writer.frameCount, Int64(Self.longestGap * writer.format.sampleRate))
            while gap > 0 {
                let count = min(gap, Int64(writer.format.sampleRate))
                try writer.append([Int16](repeating: 0, count: Int(count)))
                gap -= count
            }
            try writer.append(samples)
        }
    }

    /// Brings everything to the disk, and writes the file's sizes.
    func finish() {
        guarded { writer in try writer.finish() }
        state.withLock { $0.isClosed = true }
    }

    /// Takes the file away again, when nothing was to be heard.
    func discard() {
        state.withLock { state in
            state.isClosed = true
            _ = unlink(path)
        }
    }

    private func guarded(_ body: (WAVWriter) throws -> Void) {
        let failure = state.withLock { state -> (any Error)? in
            if state.isClosed { return nil }
            do {
                try body(state.writer)
                return nil
            } catch {
                state.isClosed = true
                return error
            }
        }
        if let failure { failed(failure) }
    }
}
