import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests as an ordinary user, who lacks permissions that root has.
    @Suite("As an ordinary user", .needsRoot)
    struct OrdinaryUser {
        private let sandbox = Sandbox()
        private let user = "65534"

        /// A command that runs another as an unprivileged user, who owns the sandbox, without root's environment.
        private var asUser: [String] {
            [
                "setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
                "--no-new-privs",
            ]
        }

        /// Copies the program to where that user may run it.
        ///
        /// - Returns: the program's path and the environment.
        private func move() async throws -> (utter: String, environment: [String: String]) {
            // The checkout may be in a folder that only root may enter.
            try FileManager.default.createDirectory(
                atPath: sandbox.file("program/bin"), withIntermediateDirectories: true)
            try FileManager.default.createDirectory(
                atPath: sandbox.file("program/share/utter/models"), withIntermediateDirectories: true)
            try await sandbox.install(Sandbox.utter, as: sandbox.file("program/bin/utter"))
            try FileManager.default.copyItem(
                atPath: Sandbox.model, toPath: sandbox.file("program/share/utter/models/vosk-model-tiny-en"))
            try FileManager.default.copyItem(
                atPath: Sandbox.root + "/Models/catalog.json",
                toPath: sandbox.file("program/share/utter/models/catalog.json"))
            for name in ["digits-slt.wav", "memo.wav"] {
                try FileManager.default.copyItem(atPath: Sandbox.fixture(name), toPath: sandbox.file("home/\(name)"))
            }
            try await sandbox.run("chown", "-R", "\(user):\(user)", sandbox.path)
            // The user owns the files and folders, and root the program.
            try await sandbox.run("chown", "-R", "0:0", sandbox.file("program"))
            return (
                sandbox.file("program/bin/utter"),
                [
                    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": sandbox.file("home"), "LANG": "C.UTF-8",
                    "TMPDIR": sandbox.file("temporary"), "UTTER_RULES": "none",
                ]
            )
        }

        /// The microphone's environment, with a copy of its settings that the user may read.
        private func devices(_ microphone: VirtualMicrophone) throws -> [String: String] {
            var environment = microphone.environment
            for name in ["ALSA_CONFIG_PATH", "PULSE_CLIENTCONFIG"] {
                let copy = sandbox.put(
                    [UInt8](FileManager.default.contents(atPath: environment[name] ?? "") ?? Data()), in: name)
                environment[name] = copy
            }
            return environment
        }

        /// The owners of everything that a run has left.
        private func owners(in folder: String) throws -> Set<uid_t> {
            let paths = try #require(FileManager.default.enumerator(atPath: sandbox.file(folder))).compactMap {
                $0 as? String
            }
            return Set(
                paths.map { path in
                    var status = stat()
                    return lstat(sandbox.file("\(folder)/\(path)"), &status) == 0 ? status.st_uid : .max
                })
        }

        @Test("transcribing, the outbox and the doctor work, with a home of the user's own and nothing of root's")
        func commands() async throws {
            let (utter, environment) = try await move()
            func run(_ arguments: String...) async throws -> Program.Finished {
                try await Program(asUser + [utter] + arguments, environment: environment).finish()
            }
            let digits = Recording.named("digits-slt.wav")
            let home = sandbox.file("home")
            let said = try await run("transcribe", "--output-dir", home, "\(home)/digits-slt.wav")
            #expect(said.exitCode == 0, "\(said.errors)")
            #expect(sandbox.text(of: "home/digits-slt.txt") == digits.transcript + "\n")
            let piped = try await run("transcribe", "\(home)/digits-slt.wav")
            #expect(piped.output == digits.transcript + "\n" && piped.errors == "")

            let added = try await run("outbox", "add", "--no-drain", "buy milk")
            #expect(added.exitCode == 0 && added.errors == "")
            #expect(try await run("outbox", "list").outputLines.count == 1)
            let drained = try await run("outbox", "drain")
            #expect(drained.exitCode == 0 && drained.errors == "")
            #expect(sandbox.memos(in: "home/.local/share/utter/notes") == ["buy milk"])

            let doctor = try await run("doctor", "--json")
            let findings = try #require(
                try JSONSerialization.jsonObject(with: Data(doctor.output.utf8)) as? [[String: Any]])
            let states = Dictionary(
                uniqueKeysWithValues: findings.map { ($0["subject"] as? String ?? "", $0["state"] as? String ?? "") })
            for subject in ["libvosk", "notes", "journal", "outbox", "privacy"] {
                #expect(states[subject] == "ok", "\(subject): \(doctor.output)")
            }
            // No line of the doctor requires root.
            #expect(states["model"] != "BROKEN" && !doctor.output.contains("SYS_NICE"), "\(doctor.output)")

            let list = try await run("models", "list", "--installed")
            #expect(list.exitCode == 0 && list.output.contains("vosk-model-tiny-en"))
            #expect(try await run("config").exitCode == 0)
            #expect(try owners(in: "home") == [65_534])
        }

        @Test(
            "a memo can be spoken and typed, and is kept in the user's own notes", .needs("tmux"))
        func memo() async throws {
            try await MemoTests.spokenScene { terminal, microphone in
                let (utter, environment) = try await move()
                // The user may connect to the microphone, too.
                let socket = try #require(microphone.environment["PULSE_SERVER"]).dropFirst("unix:".count)
                try await sandbox.run("chmod", "711", (String(socket) as NSString).deletingLastPathComponent)
                try await sandbox.run("chmod", "777", String(socket))
                let variables = (environment.merging(try devices(microphone)) { $1 }).map { "\($0)='\($1)'" }.joined(
                    separator: " ")
                let digits = MemoTests.digits
                try await terminal.start(
                    "env -i TERM=$TERM \(variables) \(asUser.joined(separator: " ")) '\(utter)' memo",
                    until: "listening", "no microphone")
                try await terminal.expect("the microphone") { $0.last?.hasPrefix("listening") == true }
                try await microphone.play(digits.path)
                try await terminal.expectDimmed("what was said, for certain") { $0.contains(digits.transcript) }
                try await terminal.type(" and typed")
                try await terminal.endWithEnter()
                #expect(sandbox.memos(in: "home/.local/share/utter/notes") == [digits.transcript + " and typed"])
                #expect(try owners(in: "home") == [65_534])
                #expect(sandbox.names(in: "home/.local/state/utter/memos") == [])
            }
        }
    }
}
