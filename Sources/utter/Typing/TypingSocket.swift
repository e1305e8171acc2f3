import Foundation
import Glibc
import System

/// The place where the process that serves `utter type` is reached.
enum TypingSocket {
    private static let name = "type.socket"

    /// The folder of the socket: `utter` in XDG_RUNTIME_DIR, or else in the user's folder of /run, or else in the XDG state folder.
    static func folder(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let named = environment["XDG_RUNTIME_DIR"], named.hasPrefix("/") { return named + "/utter" }
        let usual = "/run/user/\(getuid())"
        return access(usual, W_OK) == 0 ? usual + "/utter" : BaseFolder.state.utter(environment) + "/run"
    }

    /// Whether the process that types, if there is one, may be reached at another place than this process looks.
    static var mayBeElsewhere: Bool {
        let isNamed = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") == true
        return !isNamed || access("\(folder())/\(name)", F_OK) != 0
    }

    /// Creates the socket, in place of one where nobody listens.
    ///
    /// - Returns: the socket; nil when another process serves.
    static func listen() throws -> Int32? {
        let folder = try OpenFolder(folder(), .own)
        folder.keepPrivate()
        let lock = try LockFile.waiting(for: ".starting", in: folder)
        defer { withExtendedLifetime(lock) {} }
        let path = folder.path(of: name)
        if let connection = try LocalSocket.connect(to: path) {
            close(connection)
            return nil
        }
        return try LocalSocket.listen(at: path)
    }

    /// Connects to the process that serves; nil when it does not run, and is not to be started.
    static func connect(isStarting: Bool) throws -> Int32? {
        let folder = folder()
        if let connection = try LocalSocket.connect(to: "\(folder)/\(name)") { return connection }
        if isStarting, let socket = try listen() {
            defer { close(socket) }
            // What it gets from now on waits in the socket until the process takes it. The microphone of this command is not that of later
            // ones.
            let environment = Dictionary(uniqueKeysWithValues: TypingRequest.listenerNames.map { ($0, String?.none) })
            try ChildProcess.startDetached(
                "/proc/self/exe", ["type", "serve"], input: socket, environment: environment)
        }
        return try isStarting ? LocalSocket.connect(to: "\(folder)/\(name)") : nil
    }
}
