import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests on a machine with only `utter`, a shell and the system's own tools. Everything is real except the package manager, which
    /// installs what the real machine has.
    @Suite(.needs("tmux")) struct BareMachine {
        private let sandbox = Sandbox()
        private let packages = ["curl", "unzip", "ffmpeg", "pulseaudio"]

        /// Installs `utter` as `make install` does, with a list of models that refers to the test's server.
        private func install(_ archive: ModelArchive) async throws {
            let manager = FileManager.default
            _ = sandbox.programs(
                in: "bin",
                ["bash", "sh", "cat", "chmod", "cp", "env", "id", "mkdir", "md5sum", "mv", "rm", "sed", "sha256sum"])
            _ = sandbox.programs(in: "packages", packages)
            try await sandbox.install(Sandbox.utter, as: sandbox.file("bin/utter"))
            try manager.createDirectory(atPath: sandbox.file("share/utter/models"), withIntermediateDirectories: true)
            try manager.createSymbolicLink(
                atPath: sandbox.file("share/utter/models/vosk-model-tiny-en"), withDestinationPath: Sandbox.model)
            for name in ["catalog.json", "spoken-sentence"] {
                try manager.copyItem(
                    atPath: Sandbox.root + "/Models/\(name)", toPath: sandbox.file("share/utter/models/\(name)"))
            }
            sandbox.put(
                """
                [{"lang":"en-us","name":"\(archive.name)","obsolete":"false","size":\(archive.bytes.count),"type":"small",
                  "url":"\(archive.server.address)/plain/m.zip","sha256":"\(archive.sha256)"}]
                """, in: "share/utter/models/model-list.json")
            try await put(
                #"test "$1 $2" = "install -y" && shift 2 && for package; do cp -P "\#(sandbox.path)/packages/$package" "\#(sandbox.path)/bin/" || exit; done"#,
                "apt-get")
            try await put(#"exec "$@""#, "sudo")
        }

        private func put(_ program: String, _ name: String) async throws {
            let script = sandbox.put("#!/bin/sh\n\(program)\n", in: name)
            try await sandbox.install(script, as: sandbox.file("bin/" + name))
        }

        /// The environment in which the sound server, when it starts, finds a microphone with a hum. It ends when it is not used.
        private func plugInMicrophone() -> [String: String] {
            let script = sandbox.put(
                """
                .fail
                load-module module-null-sink sink_name=microphone
                load-module module-sine sink=microphone
                load-module module-native-protocol-unix auth-anonymous=1

                """, in: "default.pa")
            let configuration = sandbox.put(
                "exit-idle-time = 60\nhigh-priority = no\nrealtime-scheduling = no\nenable-shm = no\nlog-target = null\n",
                in: "daemon.conf")
            return [
                "PULSE_SCRIPT": script, "PULSE_CONFIG": configuration, "PULSE_RUNTIME_PATH": sandbox.file("pulse"),
                "PULSE_STATE_PATH": sandbox.file("pulse"),
            ]
        }

        @Test(
            "On a bare machine with an empty home, the doctor names all that is missing, and the lines that it prints install it all"
        )
        func fromNothing() async throws {
            let archive = try await ModelArchive(sandbox, name: Sandbox.dictationModel)
            try await install(archive)
            let sound = plugInMicrophone()
            var environment = ALSADevices.environment.merging(sound) { $1 }
            environment["PULSE_SERVER"] = nil
            environment["HOME"] = sandbox.file("home")
            environment["PATH"] = sandbox.file("bin")
            environment["TERM"] = "dumb"
            #expect(sandbox.names(in: "home") == [])
            let folder = sandbox.path
            let steps = sandbox.put(
                """
                cd '\(folder)'
                utter doctor > before.txt; echo "before: $?"
                sed -n 's/^ *run: //p' before.txt > lines.txt
                while read -r line <&3; do
                    eval "$line" || echo "failed: $line"
                done 3< lines.txt > lines.log 2>&1
                utter doctor > after.txt; echo "after: $?"
                utter doctor --json > after.json

                """, in: "steps.sh")
            let variables = environment.map { "'\($0)=\($1)'" }.joined(separator: " ")
            let session = try await sandbox.terminal("env -i \(variables) bash --noprofile --norc '\(steps)'")
            var kill = environment
            kill["PATH"] = ProcessInfo.processInfo.environment["PATH"]
            _ = try await Program(["pulseaudio", "--kill"], environment: kill).finish()

            let before = try #require(sandbox.text(of: "before.txt"))
            let bad = before.split(separator: "\n").filter { $0.hasPrefix("lacking") || $0.hasPrefix("BROKEN") }.map {
                line in
                line.dropFirst(9).prefix { $0 != " " || false }
            }
            #expect(
                bad.filter { $0 != "real-time" } == ["curl,", "model", "microphone", "ffmpeg", "locale", "terminal"],
                "\(before)")
            let root = geteuid() == 0 ? "" : "sudo "
            let lines = try #require(sandbox.text(of: "lines.txt")).split(separator: "\n").map(String.init)
            #expect(
                lines.filter { !$0.contains("rtprio") && !$0.contains("usermod") } == [
                    "\(root)apt-get install -y curl unzip", "utter models install en-us",
                    "\(root)apt-get install -y pulseaudio", "pulseaudio --start", "\(root)apt-get install -y ffmpeg",
                    "export LANG=C.UTF-8",
                    "export TERM=xterm-256color",
                ])
            let log = sandbox.text(of: "lines.log") ?? ""
            #expect(
                session.screen == ["before: 69", "after: 0"],
                "\(session.screen) \(log) \(sandbox.text(of: "after.txt") ?? "")")
            let after = try Diagnosis(json: sandbox.text(of: "after.json") ?? "", exitCode: 0, errors: "")
            #expect(after.isGreen, "\(after.complaints) \(log)")
            #expect(after["microphone"] == .fine("default delivers sound at 48000 Hz, 1 ch"))
            #expect(archive.isInstalled(in: "home/.local/share/utter/models"))
            #expect(archive.server.requests.count == 1)
        }
    }
}
