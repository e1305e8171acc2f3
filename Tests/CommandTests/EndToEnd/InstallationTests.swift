import Foundation
import Glibc
import Models
import Testing
import TestSupport

extension EndToEndTests {
    /// Tests of `make install-files` and `make uninstall` with the built command, in a folder of the test's own.
    @Suite("Installing")
    struct Installing {
        private let sandbox = Sandbox()

        private func make(_ target: String, _ variables: String..., mask: String = "022") async throws {
            let finished = try await Program(
                [
                    "sh", "-c", "umask \(mask); exec \"$0\" \"$@\"", "make", "-s", "-C", Sandbox.root, target,
                    "PROGRAM=\(Sandbox.utter)",
                ]
                    + variables,
                environment: sandbox.environment()
            ).finish()
            #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == "", "\(finished.errors)")
        }

        /// The modes and contents of everything below a folder, by path; of large files, such as models, the size.
        private func contents(of folder: String) throws -> [String: String] {
            let paths = try #require(FileManager.default.enumerator(atPath: sandbox.file(folder))).compactMap {
                $0 as? String
            }
            return try Dictionary(
                uniqueKeysWithValues: paths.map { path in
                    var status = stat()
                    #expect(lstat(sandbox.file("\(folder)/\(path)"), &status) == 0)
                    let isFolder = status.st_mode & S_IFMT == S_IFDIR
                    let isLarge = status.st_size > 1 << 20
                    let text =
                        isFolder
                        ? ""
                        : isLarge
                            ? "\(status.st_size) bytes"
                            : try Data(contentsOf: URL(fileURLWithPath: sandbox.file("\(folder)/\(path)")))
                                .base64EncodedString()
                    return (path, String(status.st_mode, radix: 8) + " " + text)
                })
        }

        /// Fills a data folder as in use: with private notes, a model, and files that have nothing to do with utter.
        private func use(_ prefix: String) throws {
            for (name, mode) in [
                ("bin", 0o700), ("share", 0o700), ("share/utter", 0o700), ("share/utter/notes", 0o700),
                ("share/utter/models", 0o700),
                ("share/utter/models/vosk-model-small-ko", 0o700), ("share/systemd", 0o700),
                ("share/systemd/user", 0o750),
            ] as [(String, mode_t)] {
                try FileManager.default.createDirectory(
                    atPath: sandbox.file("\(prefix)/\(name)"), withIntermediateDirectories: true)
                #expect(chmod(sandbox.file("\(prefix)/\(name)"), mode) == 0)
            }
            for name in [
                "share/utter/notes/2025-03-08.md", "share/utter/models/vosk-model-small-ko/README",
                "share/systemd/user/utter-mine.service",
                "share/utter/models/model-list.json", "bin/mine",
            ] {
                #expect(chmod(sandbox.put("mine", in: "\(prefix)/\(name)"), 0o600) == 0)
            }
        }

        @Test(
            "changes no existing file, however private, and everybody may use the new ones; uninstalling leaves the existing files",
            arguments: [("home/.local", "022"), ("usr/local", "077")])
        func besideTheUsers(prefix: String, mask: String) async throws {
            try use(prefix)
            let before = try contents(of: prefix)
            // The second time it replaces its own files.
            for _ in 0..<2 {
                try await make("install-files", "PREFIX=\(sandbox.file(prefix))", mask: mask)
                let after = try contents(of: prefix)
                for (path, state) in before { #expect(after[path] == state, "\(path)") }
                for (path, state) in after where before[path] == nil {
                    #expect(
                        ["40755 ", "100644 ", "100755 "].contains { state.hasPrefix($0) }, "\(path) \(state.prefix(8))")
                    #expect(state.hasPrefix("100755 ") == (path == "bin/utter"), "\(path)")
                }
                #expect(
                    after["share/utter/models/vosk-model-tiny-en/graph/phones/word_boundary.int"] != nil
                        && after["share/man/man1/utter.1"] != nil)
                // The model of the second pass is installed too if setup could make it.
                let model = "whisper-tiny.en/model.gguf"
                #expect(
                    (after["share/utter/models/\(model)"] != nil)
                        == FileManager.default.fileExists(atPath: "\(Sandbox.root)/Models/\(model)"))
            }
            let version = try await Program(
                [sandbox.file(prefix + "/bin/utter"), "--version"], environment: sandbox.environment()
            ).finish()
            #expect(version.end == .exited(0) && version.output.hasPrefix("utter "))

            try await make("uninstall", "PREFIX=\(sandbox.file(prefix))", mask: mask)
            let left = try contents(of: prefix)
            for (path, state) in before { #expect(left[path] == state, "\(path)") }
            for (path, state) in left where before[path] == nil {
                #expect(state.hasPrefix("40755 ") && !path.hasPrefix("share/utter"), "\(path)")
            }
        }

        @Test("into an empty prefix leaves nothing but shared folders when it is uninstalled")
        func alone() async throws {
            try await make("install-files", "DESTDIR=\(sandbox.file("package"))", "PREFIX=/usr", mask: "077")
            let installed = try contents(of: "package")
            #expect(installed["usr/bin/utter"]?.hasPrefix("100755 ") == true)
            for name in ["catalog.json", "second-pass.json"] {
                #expect(installed["usr/share/utter/models/" + name] != nil)
            }
            #expect(
                installed.values.allSatisfy { state in
                    ["40755 ", "100644 ", "100755 "].contains { state.hasPrefix($0) }
                })
            let unit = try #require(sandbox.text(of: "package/usr/lib/systemd/user/utter-outbox.service"))
            #expect(unit.contains("ExecStart=\"/usr/bin/utter\" ") && !unit.contains(sandbox.path))
            try await make("uninstall", "DESTDIR=\(sandbox.file("package"))", "PREFIX=/usr")
            let left = try contents(of: "package")
            #expect(
                left.values.allSatisfy { $0 == "40755 " } && left["usr/share/utter"] == nil
                    && left["usr/share/man/man1"] != nil)
        }
    }
}
