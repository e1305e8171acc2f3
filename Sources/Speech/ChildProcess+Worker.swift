import Glibc
import System

extension ChildProcess {
    /// Starts a process that has a model and works for this one. It is in a group of its own, so that Ctrl-C at the terminal reaches only
    /// this process, which needs the other to finish.
    ///
    /// - Parameters:
    ///   - program: the path of a program that is linked with this library.
    ///   - arguments: the arguments that make it a worker.
    ///   - socket: its standard input, on which it is told what to do.
    /// - Throws: `FileError` if it can't be started.
    convenience init(worker program: String, _ arguments: [String], socket: Int32) throws(FileError) {
        try self.init(
            program, arguments, input: .descriptor(socket), output: .nothing, errors: .nothing, survivesInterrupt: true,
            environment: ["SWIFT_BACKTRACE": "enable=no"], closesOtherDescriptors: true)
    }

    /// Makes a pair of sockets that are closed in other children. socketpair(2)
    static func workerSockets() throws(FileError) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw FileError(.start, path: "libvosk", errno: errno)
        }
        return (ends[0], ends[1])
    }
}
