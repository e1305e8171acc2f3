import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests with pipes and devices in place of files that utter reads without being told.
    @Suite("Special files")
    struct SpecialFiles {
        private let sandbox = Sandbox()

        @Test(
            "A pipe or a device in place of a configuration file is reported, and not waited for",
            arguments: ["config.json", "destinations.json"])
        func settings(name: String) async throws {
            try sandbox.configureDestinations("{}")
            let path = sandbox.file("home/.config/utter/" + name)
            for make in [{ mkfifo($0, 0o600) }, { symlink("/dev/zero", $0) }] as [@Sendable (String) -> Int32] {
                unlink(sandbox.file("home/.config/utter/destinations.json"))
                #expect(make(path) == 0)
                let finished = try await sandbox.outbox("list")
                #expect(
                    finished.end == .exited(78) && finished.errors.hasSuffix("\(path): it is not a file\n"),
                    "\(finished.errors)")
                unlink(path)
            }
        }

        @Test("A pipe or a device among the models is no model, no list and no manifest, and is not waited for")
        func models() async throws {
            let models = sandbox.file("data/utter/models/")
            for name in ["catalog.json", "second-pass.json", "model-list.json"] {
                #expect(mkfifo(models + name, 0o600) == 0)
            }
            try await sandbox.run("cp", "-R", Sandbox.model, models + "piped")
            for name in ["conf/mfcc.conf", ".utter-manifest"] {
                unlink(models + "piped/" + name)
                #expect(mkfifo(models + "piped/" + name, 0o600) == 0)
            }
            let list = try await sandbox.models("list", "--installed")
            #expect(list.end == .exited(0) && !list.output.contains("piped"))
            let used = try await sandbox.transcribe("-m", models + "piped", Sandbox.fixture("digits-slt.wav"))
            #expect(used.end == .exited(69) && used.errors.contains("lacks conf/mfcc.conf"))
        }
    }
}
