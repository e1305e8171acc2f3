import Glibc

/// Stream sockets with a path, for programs of one user. unix(7)
package enum LocalSocket {
    /// Creates a socket that listens, in place of one that is there. Only its owner may connect.
    ///
    /// - Parameter path: the socket's path, in a folder that is the owner's only.
    /// - Returns: the socket, which the caller closes.
    /// - Throws: `FileError` when the socket can't be created. bind(2), listen(2)
    package static func listen(at path: String) throws(FileError) -> Int32 {
        let socket = try make(path)
        _ = unlink(path)
        // Between bind and chmod the folder keeps others away.
        let code = withAddress(path) { bind(socket, $0, $1) == 0 ? 0 : errno }
        if code == 0, chmod(path, 0o600) == 0, Glibc.listen(socket, 64) == 0 { return socket }
        let failure = code == 0 ? errno : code
        close(socket)
        throw FileError(.create, path: path, errno: failure)
    }

    /// Connects to a socket of the same user's.
    ///
    /// - Returns: the connection, which the caller closes; nil when nobody listens there.
    /// - Throws: `FileError` when the connection fails otherwise, with EPERM when another user listens. connect(2)
    package static func connect(to path: String) throws(FileError) -> Int32? {
        let socket = try make(path)
        let code = withAddress(path) { Glibc.connect(socket, $0, $1) == 0 ? 0 : errno }
        if code == 0, isOwn(socket) { return socket }
        close(socket)
        if code == 0 { throw FileError(.open, path: path, errno: EPERM) }
        if code == ENOENT || code == ECONNREFUSED { return nil }
        throw FileError(.open, path: path, errno: code)
    }

    /// Waits for a connection of the same user; those of others are closed. poll(2), accept(2)
    ///
    /// - Parameters:
    ///   - socket: a socket that listens.
    ///   - stop: a pipe whose writing end is closed when no more connections are wanted.
    /// - Returns: the connection, which the caller closes; nil after a stop, or when the socket no longer listens.
    package static func accept(_ socket: Int32, until stop: Pipe) -> Int32? {
        while true {
            var waits = [socket, stop.reading].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            if poll(&waits, 2, -1) < 0 { continue }
            if waits[1].revents != 0 { return nil }
            let connection = Glibc.accept(socket, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                // A client that does not read does not hold up the others for long.
                var limit = timeval(tv_sec: 2, tv_usec: 0)
                setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                if isOwn(connection) { return connection }
                close(connection)
            } else if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS {
                // The client stays in the queue until others have gone.
                usleep(50_000)
            } else if errno != EINTR, errno != ECONNABORTED {
                return nil
            }
        }
    }

    /// Whether a descriptor is a socket that listens. getsockopt(2)
    package static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    /// Whether this user is at the other end. unix(7): SO_PEERCRED
    private static func isOwn(_ connection: Int32) -> Bool {
        // The process ID, the user and the group, each of 32 bits.
        var credentials: (UInt32, UInt32, UInt32) = (0, .max, .max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 && credentials.1 == geteuid()
    }

    private static func make(_ path: String) throws(FileError) -> Int32 {
        // With its terminating zero, a path has to fit into the address.
        if path.utf8.count >= MemoryLayout.size(ofValue: sockaddr_un().sun_path) {
            throw FileError(.create, path: path, errno: ENAMETOOLONG)
        }
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if socket < 0 { throw FileError(.create, path: path, errno: errno) }
        return socket
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
