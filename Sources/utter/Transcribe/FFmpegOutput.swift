import Audio
import Glibc
import System

/// The standard output of ffmpeg as a source of bytes. Its standard error is read as well, so that ffmpeg never blocks there. A signal
/// ends reading at once.
final class FFmpegOutput: ByteSource {
    enum End {
        case interrupted
        case ended(ChildProcess.End)
        /// ffmpeg closed its output but did not end.
        case late
    }

    /// The writing end of ffmpeg's standard input if that is a pipe; the writer closes it.
    var input: Int32 { child.input }
    private(set) var messages = FFmpegMessages()
    private let child: ChildProcess
    /// A descriptor that is readable when ffmpeg has ended.
    private let ended: Int32
    private let interruption: Interruption
    private var errorsAreOpen = true

    /// How long, in milliseconds, ffmpeg may take to end after its output has ended.
    private static let patience: Int32 = 5000

    init(
        _ arguments: [String], input: ChildProcess.Attachment, interruption: Interruption
    ) throws(FileError) {
        child = try ChildProcess("ffmpeg", arguments, input: input, errors: .pipe)
        do throws(FileError) {
            ended = try child.endDescriptor()
        } catch {
            child.kill()
            _ = child.wait()
            for descriptor in [child.input, child.output, child.errors] where descriptor >= 0 { close(descriptor) }
            throw error
        }
        self.interruption = interruption
        _ = fcntl(child.errors, F_SETFL, O_NONBLOCK)
    }

    deinit {
        for descriptor in [child.output, child.errors, ended] { close(descriptor) }
    }

    /// Reads ffmpeg's output; 0 bytes at its end or after a signal. read(2)
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            guard let ready = interruption.waitToRead([child.output, openErrors]) else { return 0 }
            if ready[1] { drainErrorsBeforeOutput() }
            guard ready[0] else { continue }
            let count = Glibc.read(child.output, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw FileError(.read, path: "ffmpeg's output", errno: errno) }
        }
    }

    /// Waits for ffmpeg's end, after the end of its output, and kills it if that takes too long.
    func finish() -> End {
        let limit = ContinuousClock.now + .milliseconds(Self.patience)
        while true {
            let milliseconds = Int32(max(.zero, limit - .now) / .milliseconds(1))
            guard let ready = interruption.waitToRead([ended, openErrors], milliseconds: milliseconds) else {
                child.kill()
                return .interrupted
            }
            if ready[1] { drainErrors() }
            if ready[0] {
                while drainErrors() {}
                messages.end()
                return .ended(child.wait())
            }
            if milliseconds == 0 {
                child.kill()
                return .late
            }
        }
    }

    /// Kills ffmpeg, which may be blocked in a write that nobody reads.
    func kill() { child.kill() }

    private var openErrors: Int32 { errorsAreOpen ? child.errors : -1 }

    /// Reads all that ffmpeg wrote to its standard error before the output that is ready: a pipe holds 64 kB. ffmpeg may write for ever.
    private func drainErrorsBeforeOutput() {
        for _ in 0..<8 where !drainErrors() { return }
    }

    /// Reads what is ready of ffmpeg's standard error.
    ///
    /// - Returns: whether there may be more.
    @discardableResult private func drainErrors() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 1 << 13, alignment: 1) { buffer in
            let count = Glibc.read(child.errors, buffer.baseAddress, buffer.count)
            // At its end the pipe stays readable, so it is not polled any more.
            if count == 0 { errorsAreOpen = false }
            guard count > 0 else { return false }
            messages.add(buffer[..<count])
            return true
        }
    }
}
