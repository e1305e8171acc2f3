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

/// Bytes as 32-bit little-endian integers.
func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { index in
        bytes[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
