import Glibc

/// Reads a file, a pipe or a terminal through its descriptor.
public final class FileByteSource: ByteSource, Sendable {
    private let descriptor: Int32
    private let closesDescriptor: Bool
    private let name: String

    /// Opens the file at `path`; it is closed when the source goes away.
    ///
    /// Throws `FileError`. A folder opens, and fails at the first read.
    public init(path: String) throws(FileError) {
        var result: Int32
        repeat {
            result = open(path, O_RDONLY | O_CLOEXEC)
        } while result < 0 && errno == EINTR
        guard result >= 0 else {
            throw FileError(.open, path: path, errno: errno)
        }
        descriptor = result
        closesDescriptor = true
        name = path
    }

    /// Reads an open descriptor. `name` is what errors call it.
    ///
    /// An owned descriptor is closed, once, when the source goes away. A borrowed one stays open, and its owner must keep
    /// it open as long as the source is read.
    public init(descriptor: Int32, owned: Bool, name: String) {
        self.descriptor = descriptor
        closesDescriptor = owned
        self.name = name
    }

    /// Reads standard input, which stays open.
    public static var standardInput: FileByteSource {
        FileByteSource(descriptor: STDIN_FILENO, owned: false, name: "standard input")
    }

    deinit {
        // Nothing was written, so a failure to close loses nothing. On Linux the descriptor is gone even after EINTR.
        if closesDescriptor { close(descriptor) }
    }

    /// Reads what is there, waiting until there is something, also on a non-blocking descriptor. read(2)
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: try waitUntilReadable()
            default: throw FileError(.read, path: name, errno: errno)
            }
        }
    }

    /// A terminal or pipe that another process left non-blocking. poll(2)
    private func waitUntilReadable() throws(FileError) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, -1) >= 0 || errno == EINTR else {
            throw FileError(.read, path: name, errno: errno)
        }
    }
}
