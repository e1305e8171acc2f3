import Glibc
import System

/// Reads a file, a pipe or a terminal through its descriptor.
public final class FileByteSource: ByteSource, Sendable {
    package let descriptor: Int32
    private let closesDescriptor: Bool
    private let name: String

    /// Opens the file at `path`, which is closed when the source is released. A folder can be opened, and fails at the
    /// first read.
    ///
    /// - Throws: `FileError` if the file can't be opened. open(2)
    public init(path: String) throws(FileError) {
        descriptor = Descriptor.retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw FileError(.open, path: path, errno: errno) }
        closesDescriptor = true
        name = path
    }

    /// Creates a source that reads an open descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read.
    ///   - owned: whether the source closes the descriptor, once, when it is released. Otherwise the descriptor stays
    ///     open, and its owner must keep it open for as long as the source is read.
    ///   - name: what errors call the descriptor.
    public init(descriptor: Int32, owned: Bool, name: String) {
        self.descriptor = descriptor
        closesDescriptor = owned
        self.name = name
    }

    deinit {
        // Nothing was written, so an error of close(2) loses nothing. On Linux the descriptor is closed even after
        // EINTR.
        if closesDescriptor { close(descriptor) }
    }

    /// Reads the bytes that are ready, and waits until there is at least one, even if the descriptor is non-blocking.
    /// read(2)
    ///
    /// - Returns: how many bytes were read; 0 at the end.
    /// - Throws: `FileError` if the read fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        while true {
            let count = Descriptor.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
            if count >= 0 { return count }
            guard errno == EAGAIN else { throw FileError(.read, path: name, errno: errno) }
            try waitUntilReadable()
        }
    }

    /// Waits for a descriptor, such as a terminal or a pipe, that another process has made non-blocking. poll(2)
    private func waitUntilReadable() throws(FileError) {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, -1) >= 0 || errno == EINTR else {
            throw FileError(.read, path: name, errno: errno)
        }
    }
}
