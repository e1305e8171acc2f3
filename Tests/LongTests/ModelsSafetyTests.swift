import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that the store is complete however an installation ends.
    @Suite struct ModelsSafety {
        private let sandbox = Sandbox()
        private let name = ModelArchive.name

        private var part: [UInt8] {
            [UInt8](
                FileManager.default.contents(atPath: sandbox.file("data/utter/models/.install/\(name)/archive.zip"))
                    ?? Data())
        }

        /// A command that runs utter and kills it at the `count`th call with one of these names in a thread.
        private func killing(at calls: String, _ count: Int) -> [String] {
            injecting("signal=SIGKILL:when=\(count)", at: calls)
        }

        @Test(
            "A download that is killed after every 1,536 KiB continues where it was, and never has a wrong byte", .long)
        func killedDownload() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            var sizes: [Int] = []
            // Each run gets 24 more pieces of at most 64 KiB, the capacity of a pipe.
            while sizes.count < 1000 {
                let finished = try await sandbox.models("install", "eo", under: killing(at: "pwrite64", 25))
                #expect(finished.end != .exited(0))
                #expect(archive.store == [".install", "model-list.json"])
                let part = part
                #expect(part == Array(archive.bytes[..<part.count]) && part.count > sizes.last ?? 0)
                sizes.append(part.count)
                if part.count == archive.bytes.count { break }
                #expect(try await sandbox.models("path", "eo").end == .exited(69))
            }
            #expect(sizes.last == archive.bytes.count && sizes.count >= archive.bytes.count / (64 << 10) / 24)
            _ = try await sandbox.models("install", "eo")
            #expect(archive.isInstalled && archive.store == ModelArchive.tidy)
            // Every request but the first was for a part of the file.
            #expect(archive.server.requests.dropFirst().allSatisfy { $0.contains("range=bytes=") })
        }

        @Test("Ctrl-C ends a download cleanly, and says how to continue it", arguments: [SIGINT, SIGTERM])
        func interrupted(number: Int32) async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list("/hold-once/100000/m.zip")
            let program = try sandbox.startUtter(["models", "install", "eo"])
            try await archive.server.wait(for: "held 100000")
            program.signal(number)
            let finished = try await program.finish()
            finished.expectEnd(128 + number, errors: "utter: interrupted; to go on: utter models install eo\n")
            // If nothing had arrived yet, nothing is kept.
            #expect(archive.store == (part.isEmpty ? ["model-list.json"] : [".install", "model-list.json"]))
            #expect(try await sandbox.models("install", "eo").end == .exited(0))
            #expect(archive.isInstalled && archive.store == ModelArchive.tidy)
        }

        @Test("The part that is left of a download can be removed")
        func removedPart() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "eo", under: killing(at: "pwrite64", 3))
            #expect(!part.isEmpty)
            let removed = try await sandbox.models("remove", name)
            removed.expectEnd(0, errors: "utter: removed what was left of a download of \(name)\n")
            #expect(archive.store == ["model-list.json"])
        }

        @Test("An escape sequence in a list is shown, not sent to the terminal")
        func untrusted() async throws {
            let list =
                #"[{"name":"vosk-model-small-eo-9.9","lang":"eo","lang_text":"Espe\u001b[2Jranto","license":"a\nb","type":"small","url":"http://a.example/m.zip"}]"#
            sandbox.put(list, in: "data/utter/models/model-list.json")
            for arguments in [["list"], ["info", name], ["list", "--json"]] {
                let finished = try await sandbox.utter(["models"] + arguments)
                #expect(finished.end == .exited(0) && finished.output.contains("Espe"))
                #expect(!finished.output.contains("\u{1B}"))
            }
        }
    }
}
