import Foundation
import Glibc
import TestSupport

@testable import utter

/// A folder for one test, with everything that `utter` reads and writes outside its own files, and the built `utter`.
final class Sandbox: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/utter-e2e-\(UUID().uuidString)"
        for folder in ["", "/home", "/state/utter", "/data/utter/models", "/empty", "/temporary"] {
            try! FileManager.default.createDirectory(atPath: path + folder, withIntermediateDirectories: true)
        }
        // The message about the built-in model, which is shown once, counts as shown.
        put([], in: "state/utter/built-in-model-announced")
        // Writing to a child that has ended must not end the tests' process.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit {
        // A drain in the background would create its folders again; a killed process may still be within a call that does.
        while case let running = processes, !running.isEmpty {
            for process in running {
                let descriptor = pidDescriptor(process, 0)
                guard descriptor >= 0 else { continue }
                kill(process, SIGKILL)
                waitForEnd(descriptor)
            }
        }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The processes that were started with this sandbox's environment and still run.
    private var processes: [pid_t] {
        let mark = Data("XDG_STATE_HOME=\(file("state"))\0".utf8)
        return ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
            guard let process = pid_t(name), let environment = environmentVariables(of: process) else { return nil }
            return environment.range(of: mark) == nil ? nil : process
        }
    }

    /// The executable that is tested: the one in `UTTER_BINARY`, or the one that was built with the tests, in their folder.
    static let utter: String = {
        if let path = ProcessInfo.processInfo.environment["UTTER_BINARY"], !path.isEmpty { return path }
        let tests = try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/utter"
    }()

    /// The path of the checkout.
    static let root: String = {
        var folder = URL(fileURLWithPath: #filePath)
        while !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
            folder.deleteLastPathComponent()
        }
        return folder.path
    }()

    static let model = root + "/Models/vosk-model-tiny-en"

    static func fixture(_ name: String) -> String { "\(root)/AudioFixtures/\(name)" }

    /// The path of a file in this sandbox.
    func file(_ name: String) -> String { path + "/" + name }

    @discardableResult
    func put(_ bytes: [UInt8], in name: String) -> String {
        precondition(FileManager.default.createFile(atPath: file(name), contents: Data(bytes)))
        return file(name)
    }

    @discardableResult
    func put(_ text: String, in name: String) -> String { put(Array(text.utf8), in: name) }

    func text(of name: String) -> String? {
        FileManager.default.contents(atPath: file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in a folder of this sandbox, without its folder of temporary files.
    func names(in folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).filter {
            folder != "" || $0 != "temporary"
        }.sorted()
    }

    func mode(of name: String) -> mode_t {
        var status = stat()
        return stat(file(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    func environment(_ more: [String: String] = [:]) -> [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": file("home"),
            "XDG_STATE_HOME": file("state"), "XDG_DATA_HOME": file("data"), "LANG": "C.UTF-8",
            "TMPDIR": file("temporary"),
            // Tests expect the first pass's exact text, whatever models are installed.
            "UTTER_SECOND_PASS": "none", "UTTER_RULES": "none",
        ].merging(more) { $1 }
    }

    func startUtter(
        _ arguments: [String], under wrapper: [String] = [], environment: [String: String] = [:],
        input: Program.Attachment = .nothing, output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) throws -> Program {
        try Program(
            wrapper + [Self.utter] + arguments, environment: self.environment(environment), input: input,
            output: output, errors: errors)
    }

    /// Runs `utter` to its end.
    func utter(
        _ arguments: [String], under wrapper: [String] = [], environment: [String: String] = [:],
        input: Program.Attachment = .nothing, output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) async throws -> Program.Finished {
        try await startUtter(
            arguments, under: wrapper, environment: environment, input: input, output: output, errors: errors
        ).finish()
    }

    /// Starts `utter transcribe`.
    func start(
        _ arguments: [String], under wrapper: [String] = [], environment: [String: String] = [:],
        input: Program.Attachment = .nothing, output: Program.Attachment = .pipe
    ) throws -> Program {
        try startUtter(
            ["transcribe"] + arguments, under: wrapper, environment: environment, input: input, output: output)
    }

    /// Runs `utter transcribe` to its end.
    func transcribe(
        _ arguments: String..., under wrapper: [String] = [], environment: [String: String] = [:],
        input: Program.Attachment = .nothing, output: Program.Attachment = .pipe, errors: Program.Attachment = .pipe
    ) async throws -> Program.Finished {
        try await utter(
            ["transcribe"] + arguments, under: wrapper, environment: environment, input: input, output: output,
            errors: errors)
    }

    func transcribe(
        _ arguments: [String], under wrapper: [String] = [], environment: [String: String] = [:],
        output: Program.Attachment = .pipe
    ) async throws -> Program.Finished {
        try await utter(["transcribe"] + arguments, under: wrapper, environment: environment, output: output)
    }

    /// Configures the outbox's destinations: a JSON object.
    func configureDestinations(_ json: String) throws {
        try FileManager.default.createDirectory(atPath: file("home/.config/utter"), withIntermediateDirectories: true)
        put(json, in: "home/.config/utter/destinations.json")
    }

    /// Runs `utter transcribe` with bytes on standard input.
    func transcribe(_ arguments: String..., stdin bytes: [UInt8], atOnce: Int = .max) async throws -> Program.Finished {
        let program = try start(arguments, input: .pipe)
        try await program.write(bytes, atOnce: atOnce)
        return try await program.finish()
    }

    /// Copies a program that is to be run. If this process wrote it, a child that another test starts meanwhile might keep it open for
    /// writing, and then it could not be run.
    func install(_ source: String, as path: String) async throws { try await run("install", "-m", "755", source, path) }

    /// Runs another program, which must succeed.
    func run(_ command: String...) async throws { try await run(command) }

    func run(_ command: [String]) async throws {
        let finished = try await Program(command, environment: environment()).finish()
        if finished.exitCode != 0 { throw Failed(command: command, errors: finished.errors) }
    }

    struct Failed: Error {
        var command: [String]
        var errors: String
    }
}
