import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests with odd environment variables and limits.
    @Suite("Odd surroundings")
    struct OddSurroundings {
        private let sandbox = Sandbox()

        private func utter(_ arguments: [String], under wrapper: [String] = [], environment: [String: String])
            async throws
            -> Program.Finished
        {
            try await Program(wrapper + [Sandbox.utter] + arguments, environment: environment).finish()
        }

        @Test(
            "However few files may be open, each command ends with a sentence and a status, and does not crash",
            arguments: [
                ["outbox", "add", "--no-drain", "x"], ["outbox", "list"], ["outbox", "drain"], ["help"],
                ["models", "list"], ["transcribe", Sandbox.fixture("digits-slt.wav")], ["devices"],
            ])
        func descriptors(arguments: [String]) async throws {
            try sandbox.configureDestinations(#"{"print": {"type": "command", "command": "cat"}}"#)
            for _ in 0..<4 { try sandbox.queue(for: "print") }
            // With three, the loader can't open a library.
            for limit in [4, 8, 12, 20, 30, 39, 40, 44, 56] {
                let finished = try await sandbox.utter(arguments, under: ["prlimit", "--nofile=\(limit):\(limit)"])
                let code = try #require(finished.exitCode, "\(limit) \(arguments): \(finished.end) \(finished.errors)")
                if limit < 40 {
                    #expect(code == 71 && finished.output == "")
                    #expect(
                        finished.errors
                            == "utter: too many open files: 40 more are needed; allow this program more with ulimit -n\n"
                    )
                } else {
                    #expect(
                        [0, 69, 71, 75].contains(code) && !finished.errors.contains("Error Domain"),
                        "\(limit) \(arguments): \(finished.errors)")
                }
            }
        }

        @Test(
            "An empty or relative HOME is ignored: the account's home folder counts", arguments: ["", "foo", ".", "~"])
        func home(value: String) async throws {
            let account = try #require(getpwuid(getuid())).pointee.pw_dir.map { String(cString: $0) } ?? ""
            let here = FileManager.default.currentDirectoryPath
            let before = try FileManager.default.contentsOfDirectory(atPath: here)
            let environment = sandbox.environment(["HOME": value]).filter { !$0.key.hasPrefix("XDG_") }
            let config = try await utter(["config"], environment: environment)
            #expect(config.end == .exited(0) && config.output.contains("\n\(account)/.config/utter/config.json"))
            let models = try await utter(["models", "path"], environment: environment)
            #expect(models.output.hasPrefix("/") == (models.end == .exited(0)))
            // Relative paths in the XDG variables are ignored as well, and the temporary folder is not the root.
            let relative = sandbox.environment([
                "XDG_CONFIG_HOME": value, "XDG_DATA_DIRS": value, "XDG_RUNTIME_DIR": value, "TMPDIR": value,
            ])
            let heard = try await utter(["transcribe", "-q", Sandbox.fixture("digits-slt.wav")], environment: relative)
            #expect(heard.end == .exited(0) && heard.errors == "")
            #expect(try FileManager.default.contentsOfDirectory(atPath: here) == before)
        }

        @Test(
            "Whatever the umask, the owner of new folders and files can use them, and nobody else",
            arguments: ["777", "700", "577", "000", "022"])
        func mask(_ mask: String) async throws {
            let environment = sandbox.environment(["HOME": sandbox.file("fresh")]).filter { !$0.key.hasPrefix("XDG_") }
            #expect(mkdir(sandbox.file("fresh"), 0o700) == 0)
            for arguments in [
                ["outbox", "add", "--no-drain", "x"], ["outbox", "drain"], ["outbox", "list"],
                ["transcribe", Sandbox.fixture("digits-slt.wav")],
            ] {
                let finished = try await utter(
                    arguments, under: Sandbox.powerless + ["sh", "-c", "umask \(mask); exec \"$0\" \"$@\""],
                    environment: environment)
                #expect(finished.end == .exited(0), "\(arguments) \(finished.errors)")
            }
            #expect(sandbox.memos(in: "fresh/.local/share/utter/notes") == ["x"])
            let paths =
                FileManager.default.enumerator(atPath: sandbox.file("fresh"))?.compactMap { $0 as? String } ?? []
            #expect(paths.count > 8)
            for path in paths {
                var status = stat()
                #expect(lstat(sandbox.file("fresh/" + path), &status) == 0)
                #expect(status.st_mode & 0o777 == (status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600), "\(path)")
            }
        }
    }
}
