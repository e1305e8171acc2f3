import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite struct FolderRuns {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        private func put(_ recording: Recording, in name: String) throws {
            let path = sandbox.file(name)
            try FileManager.default.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: recording.path, toPath: path)
        }

        @Test(
            "A folder is transcribed into another, each recording into a file for each format; the rest is named once")
        func folder() async throws {
            try put(digits, in: "in/talk.wav")
            try put(date, in: "in/deep/talk.wav")
            try put(date, in: "in/deep/other.wav")
            sandbox.put([1], in: "in/notes.txt")
            let arguments = ["-f", "text,json", "--resume", "--output-dir", sandbox.file("out"), sandbox.file("in")]
            let finished = try await sandbox.transcribe(arguments)
            let remark = "utter: left out, for its name is not that of a recording: \(sandbox.file("in/notes.txt"))\n"
            #expect(finished.end == .exited(0) && finished.output == "" && finished.errors == remark)
            #expect(
                sandbox.names(in: "out") == [
                    "deep-talk.wav.json", "deep-talk.wav.txt", "in-talk.wav.json", "in-talk.wav.txt", "other.json",
                    "other.txt",
                ])
            #expect(sandbox.text(of: "out/in-talk.wav.txt") == digits.transcript + "\n")
            #expect(sandbox.text(of: "out/deep-talk.wav.txt") == date.transcript + "\n")
            let alone = try await sandbox.transcribe("-f", "json", sandbox.file("in/deep/other.wav"))
            #expect(sandbox.text(of: "out/other.json") == alone.output)

            // What lacks one of its files is done again, and nothing else.
            sandbox.put("kept", in: "out/in-talk.wav.txt")
            unlink(sandbox.file("out/other.json"))
            let again = try await sandbox.transcribe(arguments)
            again.expectEnd(0, errors: remark + "utter: 2 left out, for they were done already\n")
            #expect(sandbox.text(of: "out/in-talk.wav.txt") == "kept")
            #expect(sandbox.text(of: "out/other.json") == alone.output)
        }

        @Test("Standard output by its name in /dev is written on, and the file that it is stays")
        func standardOutputByName() async throws {
            let command =
                "{ echo head; \"$0\" transcribe -o /dev/stdout '\(digits.path)'; echo foot; } > '\(sandbox.file("log"))'"
            let finished = try await sandbox.utter([], under: ["sh", "-c", command])
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(sandbox.text(of: "log") == "head\n\(digits.transcript)\nfoot\n")
        }

        @Test("Paths come from standard input, and one that is missing fails the run but not the others")
        func listOnStandardInput() async throws {
            let list = Array("\(digits.path)\n\(sandbox.file("missing.wav"))\n".utf8)
            let finished = try await sandbox.transcribe("--files-from", "-", stdin: list)
            #expect(finished.end == .exited(66) && finished.output.hasSuffix(digits.transcript + "\n"))
            #expect(finished.errorLines.count == 1)
            let windows = try await sandbox.transcribe("--files-from", "-", stdin: Array("\(digits.path)\r\n\r\n".utf8))
            #expect(windows.end == .exited(0) && windows.output == digits.transcript + "\n", "\(windows.errors)")
            let empty = try await sandbox.transcribe("--files-from", "-", stdin: [])
            #expect(empty.end == .exited(66) && empty.errors == "utter: standard input lists no recording\n")
        }

        @Test("A folder with several recordings is too much for one file of subtitles")
        func subtitles() async throws {
            try put(digits, in: "in/a.wav")
            let arguments = ["-o", sandbox.file("one.srt"), sandbox.file("in")]
            #expect(try await sandbox.transcribe(arguments).end == .exited(0))
            try put(date, in: "in/b.wav")
            let finished = try await sandbox.transcribe(arguments)
            #expect(finished.end == .exited(64))
            #expect(finished.errors.hasPrefix("utter: srt holds one recording, and 2 files are given;"))
        }

        @Test("An address is not taken for a missing file")
        func address() async throws {
            let finished = try await sandbox.transcribe("https://example.org/a%20talk.mp3")
            finished.expectEnd(
                66,
                errors:
                    "utter: https://example.org/a%20talk.mp3: it is an address, and utter reads files only; fetch it first: "
                    + "curl -O https://example.org/a%20talk.mp3\n")
        }

        @Test("A language may be called by its name, and means no model of 133 words")
        func languages() async throws {
            let named = try await sandbox.transcribe("--locale", "English", digits.path)
            #expect(named.end == .exited(0) && named.output == digits.transcript + "\n")
            let refused = try await sandbox.models("use", "en-us")
            refused.expectEnd(
                69,
                errors: "utter: no model for en-us is installed but vosk-model-tiny-en, which knows 133 words only; "
                    + "to get a better one: utter models install en-us\n")
            #expect(try await sandbox.models("use", "vosk-model-tiny-en").end == .exited(0))
        }

        @Test("One setting is shown alone, and a path that is written in full is told")
        func settings() async throws {
            for arguments in [["show", "jobs"], ["jobs"]] {
                let shown = try await sandbox.utter(["config"] + arguments)
                #expect(shown.output == "jobs  one for each core  [default]\n" && shown.exitCode == 0)
            }
            let misspelt = try await sandbox.utter(["config", "show", "job"])
            #expect(misspelt.errorLines.first == "utter: job is not a setting; did you mean jobs?")
            let folder = FileManager.default.currentDirectoryPath
            let set = try await sandbox.utter(["config", "set", "notes", "notes"])
            #expect(
                set.exitCode == 0
                    && set.errorLines.first == "utter: notes is \(folder)/notes, for a path is written in full")
        }
    }
}
