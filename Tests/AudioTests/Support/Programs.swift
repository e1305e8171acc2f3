import Audio
import Foundation

/// Programs that tests compare with. `Scripts/setup --for-tests` installs them; a test fails without them.
enum Programs {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is missing; run Scripts/setup --for-tests" }
    }

    /// Runs a program quietly and returns its exit status.
    static func run(_ name: String, _ arguments: [String]) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawnp(&process, name, &actions, nil, &words, environ) == 0 else { throw Missing(name: name) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        // WEXITSTATUS, or the signal that ended it.
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }
}

/// A folder that goes away with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = folder.appendingPathComponent("utter-audio-tests-" + UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("\(path) could not be removed: \(error)")
        }
    }

    /// The path of a file in the folder.
    func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file into the folder and returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// What a file in the folder holds.
    func read(_ name: String) throws -> [UInt8] {
        let source = try FileByteSource(path: file(name))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var bytes: [UInt8] = []
        while true {
            let count = try buffer.withUnsafeMutableBytes { buffer in try source.read(into: buffer) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }
}

/// Bytes as 32-bit little-endian integers.
func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { index in
        bytes[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
