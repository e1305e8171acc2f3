import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite struct OutputFormats {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        @Test("-o and --output-dir write what standard output would get, to files that only their owner may read")
        func files() async throws {
            let expected = try await sandbox.transcribe("-f", "srt", memo.path).output
            let path = sandbox.file("memo.srt")
            // The suffix determines the format.
            var finished = try await sandbox.transcribe("-o", path, memo.path)
            #expect(finished.output == "" && finished.errors == "" && finished.end == .exited(0))
            #expect(sandbox.text(of: "memo.srt") == expected)
            #expect(sandbox.mode(of: "memo.srt") == 0o600)

            // A permissive umask doesn't make the file readable for others.
            finished = try await sandbox.transcribe(
                "-f", "srt", "-o", path, memo.path, under: ["sh", "-c", "umask 000; exec \"$@\"", "sh"])
            #expect(sandbox.mode(of: "memo.srt") == 0o600)

            let formats = Tier.every(2, of: OutputFormat.allCases)
            for (format, suffix) in formats.map({ ($0.rawValue, $0.fileExtension) }) {
                finished = try await sandbox.transcribe(
                    "-f", format, "--output-dir", sandbox.file("new/texts"), "-j", "2", date.path, digits.path)
                #expect(finished.output == "" && finished.errors == "" && finished.end == .exited(0))
                #expect(sandbox.mode(of: "new/texts/date-rms.\(suffix)") == 0o600)
                let alone = try await sandbox.transcribe("-f", format, digits.path).output
                #expect(sandbox.text(of: "new/texts/digits-slt.\(suffix)") == alone)
            }
            #expect(sandbox.names(in: "new/texts").count == 2 * formats.count)
        }

        @Test("If nothing could be transcribed, the old file stays")
        func failed() async throws {
            sandbox.put("the old text\n", in: "old.txt")
            let finished = try await sandbox.transcribe("-o", sandbox.file("old.txt"), sandbox.file("missing.wav"))
            #expect(finished.end == .exited(66))
            #expect(sandbox.text(of: "old.txt") == "the old text\n")
            #expect(sandbox.names() == ["data", "empty", "home", "old.txt", "state"])
        }

        @Test("An output that can't be created is reported before the work begins", arguments: ["-o", "--output-dir"])
        func cannotCreate(option: String) async throws {
            sandbox.put([], in: "file")
            let finished = try await sandbox.transcribe(option, sandbox.file("file/name"), digits.path, memo.path)
            #expect(finished.end == .exited(73))
            #expect(finished.errorLines.count == 1)
            #expect(finished.errors.contains("Not a directory"))
            #expect(finished.output == "")
        }

        @Test("Two jobs have the same output as one, in the order of the files")
        func jobs() async throws {
            let paths = Tier.every(6, of: Recording.fixtures.filter(\.phrases.isEmpty)).map(\.path)
            // The long recording is first, so that the others must wait for it.
            let order = [memo.path] + paths.reversed().filter { $0 != memo.path }
            let one = try await sandbox.transcribe(["-f", "jsonl", "-j", "1"] + order)
            let two = try await sandbox.transcribe(["-f", "jsonl", "-j", "2"] + order)
            let many = try await sandbox.transcribe(["-f", "jsonl", "--jobs=64"] + order)
            #expect(one.output == two.output)
            #expect(one.output == many.output)
            #expect(one.outputLines.count >= order.count)
            #expect(two.errors == "")
        }

        @Test(
            "One bad file among many is reported on stderr, the rest is done in order, and the exit code is that of the error"
        )
        func oneBad() async throws {
            let bad = sandbox.put("not a recording, but text", in: "text.wav")
            for jobs in ["1", "3"] {
                let finished = try await sandbox.transcribe(
                    "-j", jobs, memo.path, bad, digits.path, sandbox.file("missing.wav"), date.path)
                #expect(finished.end == .exited(65))
                #expect(
                    finished.outputLines.joined(separator: " ")
                        == [memo, digits, date].map { "==> \($0.path) <== \($0.transcript)" }.joined(separator: " "))
                #expect(finished.errorLines.count == 2)
                #expect(finished.errorLines.contains { $0.hasPrefix("utter: \(bad): ") })
                #expect(finished.errorLines.contains { $0.hasPrefix("utter: \(sandbox.file("missing.wav")): ") })
            }
        }

        @Test("Separate channels are labelled, in every format, in the order of time")
        func splitChannels() async throws {
            let path = sandbox.file("two.wav")
            // The right channel begins a second later.
            try await sandbox.run("sox", date.path, sandbox.file("late.wav"), "pad", "1", "0")
            try await sandbox.run("sox", "-M", digits.path, sandbox.file("late.wav"), path)
            func output(_ options: String...) async throws -> String {
                let finished = try await sandbox.transcribe(options + [path])
                #expect(finished.errors == "" && finished.end == .exited(0))
                return finished.output
            }
            #expect(
                try await output("--split-channels")
                    == "[1] \(digits.transcript)\n[2, overlapping] \(date.transcript)\n")
            let lines = try JSONTranscript.parse(lines: try await output("--split-channels", "-f", "jsonl"))
            #expect(lines[path]?.segments.map(\.channel) == [1, 2])
            #expect(lines[path]?.segments.map(\.text) == [digits.transcript, date.transcript])
            #expect(
                try await output("--split-channels", "-f", "md")
                    == "**Channel 1** (0:00:00) \(digits.transcript)\n\n"
                    + "**Channel 2** (0:00:01) (overlapping) \(date.transcript)\n")
            #expect(try await output("--split-channels", "-f", "tsv").contains("\(date.transcript)\t2\n"))
            #expect(try await output("--split-channels", "-f", "srt").contains("\n[2] "))
            #expect(try await output("--split-channels", "-f", "vtt").contains("<v Channel 2>\(date.transcript)"))
            #expect(try await output("--channel", "1") == digits.transcript + "\n")
            #expect(try await output("--channel", "2") == date.transcript + "\n")
            let mix = try await output("--channel", "mix")
            #expect(try await output() == mix)
            #expect(mix != "" && mix != digits.transcript + "\n")

            let missing = try await sandbox.transcribe("--channel", "3", path)
            missing.expectEnd(65, errors: "utter: \(path): it has no channel 3, only 2\n")
        }
    }
}
