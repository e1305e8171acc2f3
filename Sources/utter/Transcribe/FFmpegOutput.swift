import Audio
import Glibc

/// What ffmpeg makes of a file: its standard output as bytes. What it says on stderr meanwhile is read as well, so that it
/// never waits for somebody to read it, and the end of it is kept. A signal ends the reading at once.
final class FFmpegOutput: ByteSource {
    /// How it all ended.
    enum End {
        /// We were asked to end.
        case interrupted
        case ended(ChildProcess.End)
        /// Its output was at its end, but it did not end.
        case late
    }

    /// Lines that it said, the last ones.
    var messages: [Substring] {
        // ffmpeg ends with advice about its own options, which nobody here has typed.
        String(decoding: said, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("To ignore this") }
    }

    private let child: ChildProcess
    /// Readable when it has ended.
    private let ended: Int32
    private let interruption: Interruption
    /// The last that it said, in bytes; more is dropped.
    private var said: [UInt8] = []
    private var errorsAreOpen = true

    private static let rememberedBytes = 1 << 13
    /// How long it may take to end after its output has ended, in milliseconds. It has nothing left to do.
    private static let patience: Int32 = 5000

    /// - Throws: `FileError` when it can't be started.
    init(_ arguments: [String], input: Int32, interruption: Interruption) throws(FileError) {
        child = try ChildProcess("ffmpeg", arguments, input: .descriptor(input), errors: .pipe)
        do throws(FileError) {
            ended = try child.endDescriptor()
        } catch {
            close(child.output)
            close(child.errors)
            throw error
        }
        self.interruption = interruption
        _ = fcntl(child.errors, F_SETFL, O_NONBLOCK)
    }

    deinit {
        for descriptor in [child.output, child.errors, ended] { close(descriptor) }
    }

    /// Its output, and nothing more once input is to end. read(2)
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while true {
            guard let ready = interruption.waitToRead([child.output, openErrors]) else { return 0 }
            if ready[1] { drainErrors() }
            guard ready[0] else { continue }
            let count = Glibc.read(child.output, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EINTR { throw FileError(.read, path: "ffmpeg's output", errno: errno) }
        }
    }

    /// Waits for its end, when its output is at its end. What does not end then is ended.
    func finish() -> End {
        let limit = ContinuousClock.now + .milliseconds(Self.patience)
        while true {
            let left = max(.zero, limit - .now)
            let milliseconds = Int32(left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000)
            guard let ready = interruption.waitToRead([ended, openErrors], milliseconds: milliseconds) else {
                child.kill()
                return .interrupted
            }
            if ready[1] { drainErrors() }
            if ready[0] { return .ended(child.wait()) }
            if milliseconds == 0 {
                child.kill()
                return .late
            }
        }
    }

    /// Ends it: it may be about to write, and would wait for ever for somebody who reads.
    func kill() { child.kill() }

    private var openErrors: Int32 { errorsAreOpen ? child.errors : -1 }

    private func drainErrors() {
        withUnsafeTemporaryAllocation(byteCount: 1 << 13, alignment: 1) { buffer in
            let count = Glibc.read(child.errors, buffer.baseAddress, buffer.count)
            // At its end it would be readable for ever.
            if count == 0 { errorsAreOpen = false }
            guard count > 0 else { return }
            said += buffer[..<count]
            said.removeFirst(max(0, said.count - Self.rememberedBytes))
        }
    }
}
