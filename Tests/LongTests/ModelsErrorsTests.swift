import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of what `utter models` prints for faults that have little to do with models.
    @Suite struct ModelsErrors {
        private let sandbox = Sandbox()
        private let name = ModelArchive.name
        private var store: String { sandbox.file("data/utter/models") }
        /// The models that are there; that of the second pass if setup could make it.
        private static let models =
            "vosk-model-tiny-en"
            + (FileManager.default.fileExists(atPath: "\(Sandbox.root)/Models/whisper-tiny.en/model.gguf")
                ? ", whisper-tiny.en" : "")

        @Test("A full disk is reported in one line, and the same command continues afterwards")
        func fullDisk() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            let failed = try await sandbox.models(
                "install", "eo", under: injecting("error=ENOSPC:when=5+", at: "pwrite64"))
            failed.expectEnd(
                73,
                errors:
                    "utter: the disk with \(store)/.install/\(name)/archive.zip is full; make room and run the same command again\n"
            )
            #expect(try await sandbox.models("install", "eo").end == .exited(0))
            #expect(archive.isInstalled && archive.server.requests.last?.contains("range=bytes=") == true)
        }

        @Test("A store that can't be written to, or is no folder, is reported in one line, and nothing is lost")
        func closedStore() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "--from", archive.path, "mine")
            chmod(store, 0o500)
            let list = ["UTTER_MODEL_LIST": archive.server.address + "/plain/m.zip"]
            for arguments in [["install", "eo"], ["update"], ["remove", "mine"]] {
                let finished = try await sandbox.utter(
                    ["models"] + arguments, under: Sandbox.powerless, environment: list)
                #expect(finished.end == .exited(77), "\(arguments)")
                #expect(finished.errorLines.count == 1 && finished.errors.contains("\(store)/"), "\(finished.errors)")
                #expect(finished.errors.hasSuffix(": Permission denied\n"), "\(finished.errors)")
            }
            chmod(store, 0o700)
            #expect(try await sandbox.models("path", "mine").output == store + "/mine\n")

            try FileManager.default.moveItem(atPath: store, toPath: sandbox.file("moved"))
            sandbox.put([], in: "data/utter/models")
            let file = try await sandbox.models("install", "--from", archive.path)
            #expect(file.end == .exited(73) && file.errors == "utter: can't create \(store): Not a directory\n")
        }

        @Test("The command for later is one that a shell takes")
        func quoted() async throws {
            let digits = String(repeating: "a", count: 64)
            let checked = try await sandbox.models(
                "install", "--from", "http://127.0.0.1:1/it's.zip", "--sha256", digits)
            #expect(
                checked.errors.hasSuffix(
                    "; to go on later: utter models install --from 'http://127.0.0.1:1/it'\\''s.zip' --sha256 \(digits)\n"
                ),
                "\(checked.errors)")
        }

        @Test("From a server with an untrusted certificate nothing is requested, and nothing is read")
        func certificate() async throws {
            let server = try await SecureServer(sandbox)
            defer { server.end() }
            let address = server.address + "/m.zip"
            let finished = try await sandbox.models("install", "x", "--from", address)
            finished.expectEnd(
                75,
                errors:
                    "utter: the certificate of 127.0.0.1 can't be trusted; a network that wants a login may stand in between; "
                    + "to go on later: utter models install x --from \(address)\n")
        }

        @Test(
            "Arguments that are invalid, or name what does not exist, are reported in one line",
            arguments: [
                (
                    ["update"], ["UTTER_MODEL_LIST": "ftp://a.example/list"], 69,
                    "UTTER_MODEL_LIST is not an address that begins with https:// or http://"
                ),
                (["list", "-i", "de"], [:], 69, "there is no model for de installed"),
                (["install", "kr"], [:], 69, "there is no model kr in the list; did you mean ko?"),
                (["list", "klingon"], [:], 69, "klingon is not a known language; see all with: utter models list"),
                (
                    ["list", "de,en"], [:], 69,
                    "de,en is not one language; a model that tells languages apart: utter models install whisper-base"
                ),
                (
                    ["path", "de"], [:], 69,
                    "no model for de is installed; there are: \(models); to get one: utter models install de"
                ),
                (
                    ["verify", "nonesuch"], [:], 69,
                    "no model named nonesuch is installed; there are: \(models)"
                ),
                (["remove", "nonesuch"], [:], 69, "no model named nonesuch is installed"),
                (
                    ["update"], ["PATH": "/nonexistent"], 69,
                    "the program curl is needed and not installed; install it with: apt install curl"
                ),
            ] as [([String], [String: String], Int32, String)])
        func refused(arguments: [String], environment: [String: String], code: Int32, words: String) async throws {
            let finished = try await sandbox.utter(["models"] + arguments, environment: environment)
            finished.expectEnd(code, output: "", errors: "utter: \(words)\n")
        }

        @Test("What is known about a model is shown, and so is what is not known")
        func details() async throws {
            let archive = try await ModelArchive(sandbox)
            let list = archive.listText("/plain/m.zip").replacing(
                "\"size\":\(archive.bytes.count),\"size_text\":\"2MiB\",", with: "")
            sandbox.put(list, in: "data/utter/models/model-list.json")
            let lines = try await sandbox.models("list", "--all", "eo").outputLines
            #expect(
                lines.contains {
                    $0.hasPrefix("  vosk-model-small-eo-0.42  Esperanto (eo)  ")
                        && $0.hasSuffix("  replaced by a newer one")
                }, "\(lines)")
            #expect(
                lines.contains { $0.hasPrefix("  \(name) ") && $0.hasSuffix("  unknown size  take this one") },
                "\(lines)")
            let replaced = try await sandbox.models("info", "vosk-model-small-eo-0.42")
            #expect(
                replaced.output.contains("\nchecksum   in the official list\n")
                    && replaced.output.hasSuffix("\nremark     a newer one has replaced it\n"))
            #expect(
                replaced.output.contains(
                    "\ninstalled  no; to install it: utter models install vosk-model-small-eo-0.42\n"))
            let builtIn = try await sandbox.models("info", "tiny-en")
            #expect(builtIn.output.contains("\nbelongs to   utter or the system\n"))
        }

        @Test("An invalid locale is refused; with nothing installed there is nothing to verify")
        func nothing() async throws {
            let locale = try await sandbox.transcribe("--locale", "1a", Sandbox.fixture("digits-slt.wav"))
            locale.expectEnd(69, errors: "utter: 1a is not a known language; see all with: utter models list\n")
            let verify = try await sandbox.models("verify")
            verify.expectEnd(0, errors: "utter: utter has installed no model; name the one to check\n")
            #expect(try await sandbox.models("verify", "-q").errors == "")
        }

        @Test("A missing unzip is reported, and the download is kept until it is installed")
        func noUnzip() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            let programs = sandbox.programs(in: "bin", ["curl", "sha256sum"])
            let finished = try await sandbox.models("install", "eo", environment: ["PATH": programs])
            finished.expectEnd(
                69,
                errors: "utter: the program unzip is needed and not installed; install it with: apt install unzip\n")
            #expect(try await sandbox.models("install", "eo").end == .exited(0))
            #expect(archive.isInstalled && archive.server.requests.count == 1)
            let noSum = try await sandbox.models(
                "install", "again", "--from", archive.path, "--sha256", archive.sha256,
                environment: ["PATH": sandbox.file("empty")])
            #expect(
                noSum.errors
                    == "utter: the program sha256sum is needed and not installed; install it with: apt install coreutils\n"
            )
        }
    }
}
