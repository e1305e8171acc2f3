import Glibc

/// Writing to a file descriptor until all is written.
enum Descriptor {
    /// Puts something into the places of standard input, output and error that were closed before we were started.
    /// Otherwise the next file that is opened would take such a place, and errors would be written into it. Reading
    /// and writing there fails as it would have. open(2)
    static func occupyStandardOnes() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all of `text`, waiting where the descriptor makes it wait.
    /// - Returns: 0, or the errno of the write that failed. write(2)
    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another program made the terminal or pipe non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}
