import Glibc

/// Functions on file descriptors.
package enum Descriptor {
    /// Opens `/dev/null` in place of each of standard input, output and error that is closed. Otherwise the next file that is
    /// opened would take its place, and errors would be written into that file. Reading and writing there still fail. open(2)
    package static func occupyStandardOnes() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Calls a function of the system, and again as long as a signal breaks it off.
    package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        var result = call()
        while result < 0, errno == EINTR { result = call() }
        return result
    }

    /// Reads what is there into a buffer. read(2)
    ///
    /// - Returns: the bytes; nil at the end, and where reading fails.
    package static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> ArraySlice<UInt8>? {
        let count = retrying { Glibc.read(descriptor, &buffer, buffer.count) }
        return count > 0 ? buffer[..<count] : nil
    }

    /// Writes all of `text`, waiting while the descriptor takes no more. write(2)
    ///
    /// - Returns: 0, or the `errno` of the write that failed.
    package static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes all of `bytes`, as `write(_:to:)` does a text.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        writeAll(bytes) { start, length, _ in
            let count = Glibc.write(descriptor, start, length)
            if count < 0, errno == EAGAIN {
                // Another program made the terminal or pipe non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
                errno = EINTR
            }
            return count
        }
    }

    /// Lets a function write until it has taken all of `bytes`, and again after a signal.
    ///
    /// - Parameter write: takes bytes, of which `done` come after so many others; returns what the C function does.
    /// - Returns: 0, or the `errno` of the write that failed.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawPointer, Int, _ done: Int) -> Int
    ) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = write(bytes.baseAddress! + done, bytes.count - done, done)
            if count == 0 { return EIO }
            if count < 0, errno != EINTR { return errno }
            done += max(0, count)
        }
        return 0
    }
}
