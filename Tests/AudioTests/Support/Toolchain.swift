import Foundation
import TestSupport

/// The compiler that these tests were built with, and what it has built.
enum Toolchain {
    static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// A program's source among the tests.
    static func source(_ path: String) -> String { "\(repository)/Tests/\(path)" }

    /// Where the package's modules and object files lie: beside the program that runs.
    private static let build =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    /// The library, and the one under it, as these tests are built with them.
    static func objects() throws -> [String] {
        try ["Audio", "System"].map { "\(build)/\($0).build" }.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".o") }.map {
                folder + "/" + $0
            }
        }
    }

    /// Compiles against the library.
    static func compile(_ arguments: [String]) async throws -> Program.Finished {
        // A compilation that fails leaves its temporary folder.
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        return try await Program(
            ["swiftc", "-I", build + "/Modules"]
                + ["CALSA", "CLinux", "CSampleRate"].flatMap {
                    ["-Xcc", "-fmodule-map-file=\(repository)/Sources/\($0)/module.modulemap"]
                } + arguments + ["-lasound", "-lsamplerate"], environment: environment
        ).finish()
    }

    /// Beside the compiler, wherever that lies.
    static let realtimeSanitizer: String = {
        let path =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { $0 + "/swiftc" }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? ""
        let compiler = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent()
        #if arch(arm64)
            let architecture = "aarch64"
        #else
            let architecture = "x86_64"
        #endif
        return compiler.path + "/lib/swift/clang/lib/linux/libclang_rt.rtsan-\(architecture).a"
    }()

    static var hasRealtimeSanitizer: Bool { FileManager.default.fileExists(atPath: realtimeSanitizer) }
}
