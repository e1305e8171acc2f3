import Audio
import Glibc
import Synchronization
import System

/// Saves the captured sound in a WAV file that can be read at any moment. Lost sound becomes silence, so that the file's times are
/// those of the text.
final class AudioSaver: Sendable {
    private struct State: ~Copyable {
        var path: String
        // Used only while the lock is held.
        /// Nil as long as there is no file.
        var writer: WAVWriter?
        /// The number of frames that were in the file before the first of this saver.
        var start: Int64 = 0
        /// Collects the channels of a file that has several; nil for one.
        var interleaver: ChannelInterleaver?
        /// Whether nothing more is written, after an error or the end.
        var isClosed = false
        var failure: (any Error)?
    }

    private let sampleRate: Int
    private let state: Mutex<State>
    /// Makes what the file needs before it can be created.
    private let prepare: @Sendable () throws -> Void
    /// Called with the first error. The sound is still transcribed.
    private let failed: @Sendable (any Error) -> Void

    /// The longest silence for a gap, in seconds, so that a clock that jumps can't fill the disk.
    private static let longestGap = 3600

    /// Creates a new WAV file.
    ///
    /// - Parameter channelNames: the names of the channels; none for one channel without a name.
    /// - Throws: `FileError` when the file can't be created, with EEXIST when it exists.
    init(
        path: String, sampleRate: Int, channelNames: [String] = [], failed: @escaping @Sendable (any Error) -> Void
    ) throws(FileError) {
        self.sampleRate = sampleRate
        self.failed = failed
        prepare = {}
        let count = max(1, channelNames.count)
        let writer = try WAVWriter(path: path, sampleRate: sampleRate, channelCount: count, channelNames: channelNames)
        state = Mutex(
            State(
                path: path, writer: writer, interleaver: count > 1 ? ChannelInterleaver(channelCount: count) : nil))
    }

    /// Creates a saver that creates its file when there is something to write.
    ///
    /// - Parameter prepare: makes what the file needs, such as its folder.
    init(
        path: String, sampleRate: Int, preparing prepare: @escaping @Sendable () throws -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.sampleRate = sampleRate
        self.failed = failed
        self.prepare = prepare
        state = Mutex(State(path: path))
    }

    /// Writes samples, and silence for a gap before them. Of several channels they are in the file when all have come so far.
    ///
    /// - Parameter position: the position of the first of them, in samples from the first that was heard.
    func write(_ samples: [Int16], at position: Int64, channel: Int = 0) {
        guarded { state in
            let writer = try writer(in: &state)
            let limit = Int64(Self.longestGap * sampleRate)
            if let frames = state.interleaver?.add(samples, at: position, channel: channel, longestGap: limit) {
                return try writer.append(frames)
            }
            try Self.fill(min(state.start + position - writer.frameCount, limit), writer)
            try writer.append(samples)
        }
    }

    /// Continues the file of another saver, after what is in it. What was heard until now is moved there.
    ///
    /// - Parameter path: the path of a file that an `AudioSaver` has left, or of none yet.
    func join(_ path: String) {
        guarded { state in
            let isThere = access(path, F_OK) == 0
            if state.writer == nil, !isThere {
                state.path = path
                return
            }
            let whole =
                try isThere
                ? WAVWriter(continuing: path, sampleRate: sampleRate, channelCount: 1)
                : WAVWriter(path: path, sampleRate: sampleRate, channelCount: 1)
            let start = whole.frameCount
            if state.writer != nil {
                let reader = try AudioBlockReader(
                    WAVReader(source: FileByteSource(path: state.path)), channels: .mix, sampleRate: sampleRate)
                while let block = try reader.next()?.first { try whole.append(block.samples) }
                // Until then the samples are on the disk in one file only.
                try whole.synchronize()
                _ = unlink(state.path)
            }
            (state.writer, state.path, state.start) = (whole, path, start)
        }
    }

    /// Writes the sizes in the file's header, and flushes the file to the disk.
    func finish() {
        guarded { state in
            if let rest = state.interleaver?.finish(), !rest.isEmpty { try state.writer?.append(rest) }
            try state.writer?.finish()
        }
        state.withLock { $0.isClosed = true }
    }

    /// Removes the file, when nothing was recorded. unlink(2)
    func discard() {
        state.withLock { state in
            state.isClosed = true
            if state.writer != nil { _ = unlink(state.path) }
        }
    }

    /// Why not all that was heard is in the file; nil where it is.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// The file; nil as long as there is none.
    var path: String? { state.withLock { $0.writer == nil ? nil : $0.path } }

    private func writer(in state: inout State) throws -> WAVWriter {
        if let writer = state.writer { return writer }
        try prepare()
        let writer = try WAVWriter(path: state.path, sampleRate: sampleRate, channelCount: 1)
        state.writer = writer
        return writer
    }

    private static func fill(_ gap: Int64, _ writer: WAVWriter) throws {
        var gap = gap
        while gap > 0 {
            let count = min(gap, Int64(writer.format.sampleRate))
            try writer.append([Int16](repeating: 0, count: Int(count)))
            gap -= count
        }
    }

    private func guarded(_ body: (inout State) throws -> Void) {
        let failure = state.withLock { state -> (any Error)? in
            if state.isClosed { return nil }
            do {
                try body(&state)
                return nil
            } catch {
                state.isClosed = true
                state.failure = error
                // The real sizes need no space, and other programs read the file then.
                try? state.writer?.finish()
                return error
            }
        }
        if let failure { failed(failure) }
    }
}
