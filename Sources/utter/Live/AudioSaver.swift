import Audio
import Glibc
import Synchronization

/// Saves the captured sound in a WAV file that can be read at any moment. Lost sound becomes silence, so that the file's times are
/// those of the text.
final class AudioSaver: Sendable {
    private struct State: ~Copyable {
        // Used only while the lock is held.
        var writer: WAVWriter
        /// Whether nothing more is written, after an error or the end.
        var isClosed = false
    }

    private let path: String
    private let state: Mutex<State>
    /// Called with the first error. The sound is still transcribed.
    private let failed: @Sendable (any Error) -> Void

    /// The longest silence for a gap, in seconds, so that a clock that jumps can't fill the disk.
    private static let longestGap = 3600

    /// Creates a new WAV file.
    ///
    /// - Parameters:
    ///   - path: the file's path.
    ///   - sampleRate: the sample rate, in Hz.
    ///   - failed: called with the first error after this.
    /// - Throws: `FileError` when the file can't be created, with EEXIST when it exists.
    init(path: String, sampleRate: Int, failed: @escaping @Sendable (any Error) -> Void) throws(FileError) {
        self.path = path
        state = Mutex(State(writer: try WAVWriter(path: path, sampleRate: sampleRate, channelCount: 1)))
        self.failed = failed
    }

    /// Writes samples, and silence for a gap before them.
    ///
    /// - Parameters:
    ///   - samples: the samples.
    ///   - position: the position of the first of them, in samples from the start of the file.
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

    /// Writes the sizes in the file's header, and flushes the file to the disk.
    func finish() {
        guarded { writer in try writer.finish() }
        state.withLock { $0.isClosed = true }
    }

    /// Removes the file, when nothing was recorded. unlink(2)
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
