import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that a recording of which something is missing is never taken for a whole one.
    @Suite("A recording of which something is missing")
    struct CutRecordings {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private var wav: [UInt8] { [UInt8](FileManager.default.contents(atPath: digits.path)!) }
        private var texts: String { sandbox.file("texts") }

        @Test(
            "ends before its header says: the text is a part, the exit status an error, and --resume hears it again",
            arguments: Tier.every(2, of: ["-j 4", "-j 1", "-f json", "--split-channels"]))
        func cut(options: String) async throws {
            let path = sandbox.put(Array(wav[..<60_000]), in: "talk.wav")
            let whole = try await sandbox.transcribe(options.split(separator: " ").map(String.init) + [digits.path])
            let arguments =
                options.split(separator: " ").map(String.init) + [
                    "-q", "--resume", "--output-dir", texts, path,
                ]
            let finished = try await sandbox.transcribe(arguments)
            let name = options == "-f json" ? "talk.json" : "talk.txt"
            finished.expectEnd(
                65,
                errors: "utter: \(path): the file is cut off or not whole yet: its header announces 46924 more "
                    + "bytes of sound, at byte 60000\nutter: what was heard until then is in \(texts)/\(name).part\n")
            #expect(sandbox.names(in: "texts") == ["\(name).part"])
            #expect(sandbox.text(of: "texts/\(name).part")?.contains("one two five oh nine") == true)

            sandbox.put(wav, in: "talk.wav")
            #expect(try await sandbox.transcribe(arguments).end == .exited(0))
            #expect(sandbox.names(in: "texts") == [name])
            #expect(
                sandbox.text(of: "texts/\(name)")?.replacing(path, with: digits.path) == whole.output)
        }

        @Test("comes from a pipe that closes early: the text is written, and the exit status is an error")
        func pipe() async throws {
            let finished = try await sandbox.transcribe("-q", "-o", "-", "-", stdin: Array(wav[..<60_000]))
            #expect(finished.end == .exited(65) && finished.output == "one two five oh nine\n")
            #expect(finished.errorLines.count == 1 && finished.errors.hasPrefix("utter: stdin: the file is cut off"))
            for (end, isCut) in [(60_000, true), (wav.count, false)] {
                let output = try await sandbox.transcribe("-q", "-f", "json", "-", stdin: Array(wav[..<end])).output
                #expect(output.hasSuffix("\"complete\":false}\n") == isCut && output.contains("complete") == isCut)
            }
        }

        @Test("of unknown length is whole when it ends")
        func unknownLength() async throws {
            var bytes = wav
            bytes.replaceSubrange(4..<8, with: [255, 255, 255, 255])
            bytes.replaceSubrange(40..<44, with: [255, 255, 255, 255])
            for end in [60_000, bytes.count] {
                let finished = try await sandbox.transcribe("-", stdin: Array(bytes[..<end]))
                #expect(finished.end == .exited(0) && finished.errors == "")
                #expect(finished.output == (end < bytes.count ? "one two five oh nine" : digits.transcript) + "\n")
            }
        }

        @Test(
            "goes on after what its header announces: that is an error; another chunk or a little litter there is none")
        func undeclaredSound() async throws {
            var bytes = wav
            bytes.replaceSubrange(40..<44, with: withUnsafeBytes(of: UInt32(59_956).littleEndian) { Array($0) })
            let path = sandbox.put(bytes, in: "talk.wav")
            let finished = try await sandbox.transcribe("--output-dir", texts, path)
            #expect(finished.end == .exited(65) && sandbox.names(in: "texts") == ["talk.txt.part"])
            #expect(finished.errors.hasPrefix("utter: \(path): more sound follows after all that its header announces"))
            try await sandbox.run("sox", "--ignore-length", path, sandbox.file("repaired.wav"))
            #expect(try await sandbox.transcribe(sandbox.file("repaired.wav")).output == digits.transcript + "\n")

            // Another recording, in a file, in a pipe, and in a file that is standard input.
            let two = sandbox.put(wav + wav, in: "two.wav")
            let program = try Program(
                ["sh", "-c", "exec \"$0\" transcribe - < '\(two)'", Sandbox.utter], environment: sandbox.environment())
            for finished in [
                try await sandbox.transcribe(two), try await sandbox.transcribe("-", stdin: wav + wav),
                try await program.finish(),
            ] {
                #expect(finished.end == .exited(65) && finished.output == digits.transcript + "\n")
                #expect(
                    finished.errorLines.count == 1 && finished.errors.contains(": more sound follows after all that"))
            }

            let chunk = Array("LIST".utf8) + [0, 32, 0, 0] + [UInt8](repeating: 200, count: 8192)
            for end in Tier.every(
                2, of: [[0] + chunk, chunk, [UInt8](repeating: 0, count: 9000), [UInt8](repeating: 255, count: 300)])
            {
                sandbox.put(wav + end, in: "talk.wav")
                let whole = try await sandbox.transcribe(path)
                #expect(whole.end == .exited(0) && whole.errors == "" && whole.output == digits.transcript + "\n")
            }
        }

        /// What a command does to FILE while it is read; each but the last makes the text doubtful.
        static let changes = [
            "grows": "head -c 100 /dev/zero >> FILE", "shrinks": "truncate -s 100 FILE",
            "is replaced": "cp FILE FILE.new; mv FILE.new FILE", "is removed": "rm -f FILE",
        ]

        @Test("changes while it is read: that is an error, and nothing takes the text for whole", arguments: changes)
        func change(how: String, command: String) async throws {
            var bytes = wav
            // The header of a recording that goes on promises nothing.
            bytes.replaceSubrange(40..<44, with: [255, 255, 255, 255])
            let path = sandbox.put(bytes, in: "talk.wav")
            // The filter runs while the file is open.
            let finished = try await sandbox.transcribe(
                "--filter", "cat; { \(command.replacing("FILE", with: "'\(path)'")); } >/dev/null", "--output-dir",
                texts,
                path)
            if how == "is removed" {
                #expect(finished.end == .exited(0) && finished.errors == "")
                #expect(sandbox.text(of: "texts/talk.txt") == digits.transcript + "\n")
            } else {
                #expect(finished.end == .exited(65))
                #expect(finished.errors.hasPrefix("utter: \(path): it was written or replaced while it was read, so"))
                #expect(sandbox.names(in: "texts") == ["talk.txt.part"])
            }
        }

        @Test(
            "is ADPCM in WAV: ffmpeg reads it, and says when it is cut off",
            arguments: Tier.every(2, of: ["adpcm_ms", "adpcm_ima_wav"]))
        func adpcm(codec: String) async throws {
            let path = sandbox.file("talk.wav")
            try await sandbox.run(["ffmpeg", "-v", "error", "-i", digits.path, "-c:a", codec, path])
            let finished = try await sandbox.transcribe(path)
            #expect(finished.end == .exited(0) && finished.errors == "")
            #expect(finished.output == digits.transcript + "\n")
            #expect(truncate(path, 20_001) == 0)
            let cut = try await sandbox.transcribe(path)
            #expect(cut.end == .exited(65) && cut.errorLines.count == 1)
            #expect(cut.errors.contains("it is damaged or was cut off, and some of its sound is missing: "))
            // ffmpeg can't read it from a pipe from its beginning.
            let piped = try await sandbox.transcribe("-", stdin: [UInt8](FileManager.default.contents(atPath: path)!))
            #expect(piped.end == .exited(65) && piped.errors.contains("ADPCM"))
        }
    }
}
