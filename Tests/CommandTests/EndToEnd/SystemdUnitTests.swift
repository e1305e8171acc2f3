import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of the service and the timer that `make install` installs for a user's systemd.
    @Suite(.needs("systemd-analyze")) struct SystemdUnits {
        private let sandbox = Sandbox()

        /// Installs, and returns the paths of the units.
        private func install(_ prefix: String, into folder: String) async throws -> [String] {
            let make = try await Program(
                ["make", "-s", "-C", Sandbox.root, "install-units", "PREFIX=" + sandbox.file(prefix)],
                environment: sandbox.environment()
            ).finish()
            #expect(make.end == .exited(0) && make.errors == "")
            let names = sandbox.names(in: folder)
            #expect(
                names == [
                    "utter-drain.service", "utter-drain.timer", "utter-outbox.service", "utter-type.service",
                    "utter-type.socket",
                ])
            for name in names { #expect(sandbox.mode(of: "\(folder)/\(name)") == 0o644) }
            return names.map { sandbox.file("\(folder)/\($0)") }
        }

        /// The complaints of systemd about units.
        private func verify(_ paths: [String]) async throws -> String {
            // This folder is not in the sandbox, because systemd creates a socket there, whose path must be short.
            let folder = NSTemporaryDirectory() + "run"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let finished = try await Program(
                ["systemd-analyze", "verify", "--user", "--man=no"] + paths,
                environment: sandbox.environment(["XDG_RUNTIME_DIR": folder])
            ).finish()
            return finished.output + finished.errors + (finished.end == .exited(0) ? "" : "\(finished.end)\n")
        }

        @Test(
            "are where systemd looks for them, and are valid",
            arguments: [("prefix", "prefix/lib"), ("home/.local", "home/.local/share")])
        func verified(prefix: String, library: String) async throws {
            let paths = try await install(prefix, into: library + "/systemd/user")
            // Without the command, systemd must complain.
            let complaint = try await verify(paths)
            #expect(complaint.contains("\(sandbox.file(prefix))/bin/utter is not executable"), "\(complaint)")
            let bin = sandbox.file(prefix + "/bin")
            try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: bin + "/utter", withDestinationPath: Sandbox.utter)
            #expect(try await verify(paths) == "")
        }

        @Test("start existing commands with existing options")
        func commands() async throws {
            for path in try await install("prefix", into: "prefix/lib/systemd/user") where path.hasSuffix(".service") {
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
                let words = line.dropFirst("ExecStart=".count).split(separator: " ").map {
                    String($0.replacing("\"", with: ""))
                }
                #expect(words.first == sandbox.file("prefix/bin/utter"))
                // An unknown word would be refused before the queue, or the folder of the socket, is opened.
                sandbox.put([], in: "state/utter/outbox")
                sandbox.put([], in: "empty/utter")
                let finished = try await sandbox.utter(
                    Array(words.dropFirst()), environment: ["XDG_RUNTIME_DIR": sandbox.file("empty")])
                #expect(finished.end == .exited(73), "\(finished.errors)")
            }
        }
    }
}
