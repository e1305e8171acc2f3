import Foundation

/// Programs that tests compare with. `Scripts/setup --for-tests` installs them; a test fails without them.
enum Programs {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is missing; run Scripts/setup --for-tests" }
    }

    /// Runs a program quietly and returns its exit status.
    static func run(_ name: String, _ arguments: [String]) throws -> Int32 {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let path = folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile(atPath:))
        guard let path else { throw Missing(name: name) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
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
        Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }
}

/// Bytes as 32-bit little-endian integers.
func words(_ bytes: [UInt8]) -> [UInt32] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { index in
        bytes[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
