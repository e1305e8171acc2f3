import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that an output never replaces an input, loses earlier output, or is written to where another user's link leads.
    @Suite("An output")
    struct OutputSafety {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let memo = Recording.named("memo.wav")

        /// A case of an output that is also an input: the lines that prepare it, and the command.
        struct Onto: CustomTestStringConvertible {
            var testDescription: String
            var prepare: String
            var command: [String]
        }

        static let onto = [
            Onto(
                testDescription: "the input itself", prepare: "", command: ["-f", "text", "-o", "rec.wav", "rec.wav"]),
            Onto(
                testDescription: "by another path", prepare: "mkdir d",
                command: ["-f", "text", "-o", "d/../rec.wav", "./rec.wav"]),
            Onto(
                testDescription: "through a symbolic link", prepare: "ln -s rec.wav l", command: ["-o", "l", "rec.wav"]),
            Onto(
                testDescription: "of an input that is a link", prepare: "ln -s rec.wav l",
                command: ["-f", "text", "-o", "rec.wav", "l"]),
            Onto(testDescription: "through a hard link", prepare: "ln rec.wav h", command: ["-o", "h", "rec.wav"]),
            Onto(
                testDescription: "one of several", prepare: "cp rec.wav b.wav",
                command: ["-f", "text", "-o", "b.wav", "rec.wav", "b.wav"]),
            Onto(
                testDescription: "beside it", prepare: "cp rec.wav talk.txt",
                command: ["--output-dir", ".", "talk.txt"]),
            Onto(
                testDescription: "beside it, with --resume", prepare: "cp rec.wav talk.txt",
                command: ["--resume", "--output-dir", ".", "talk.txt"]),
            Onto(
                testDescription: "of another's name", prepare: "mkdir d; cp rec.wav d/a.txt",
                command: ["--output-dir", "d", "rec.wav", "d/a.txt"]),
            Onto(testDescription: "as a part", prepare: "cp rec.wav x.part", command: ["-o", "x", "x.part"]),
            Onto(
                testDescription: "as a part in a folder", prepare: "cp rec.wav rec.txt.part",
                command: ["--output-dir", ".", "rec.txt.part", "rec.wav"]),
            Onto(
                testDescription: "that is standard input", prepare: "", command: ["-f", "text", "-o", "rec.wav", "-"]),
            Onto(
                testDescription: "that is the vocabulary", prepare: "echo one > words",
                command: ["--vocabulary", "words", "-o", "words", "rec.wav"]),
            Onto(
                testDescription: "that is the list of recordings",
                prepare: "echo rec.wav > list.txt; cp rec.wav list.wav",
                command: ["--files-from", "list.txt", "-f", "text", "--output-dir", ".", "list.wav"]),
        ]

        private func run(_ command: [String], after prepare: String, then redirection: String = "") async throws
            -> Program.Finished
        {
            try await sandbox.run("cp", digits.path, sandbox.file("rec.wav"))
            let script = "cd \"$1\"; shift; \(prepare)\nexec \"$0\" transcribe \"$@\" \(redirection)"
            return try await sandbox.utter([sandbox.path] + command, under: ["sh", "-c", script])
        }

        private func contents() -> [String: Data] {
            Dictionary(
                uniqueKeysWithValues: sandbox.names().map {
                    ($0, FileManager.default.contents(atPath: sandbox.file($0)) ?? Data())
                })
        }

        @Test("that is also an input is refused before anything is read or created", arguments: onto)
        func ontoInput(_ onto: Onto) async throws {
            let finished = try await run(
                onto.command, after: onto.prepare, then: onto.command.last == "-" ? "< rec.wav" : "")
            #expect(finished.end == .exited(64))
            #expect(finished.errorLines.count == 2 && finished.errors.contains("choose another output"))
            #expect(contents()["rec.wav"] == FileManager.default.contents(atPath: digits.path))
            #expect(!sandbox.names().contains { $0.hasPrefix(".utter-") || $0 == "rec.txt" })
        }

        @Test("that is also an input is refused if the shell has opened it for appending")
        func appended() async throws {
            let finished = try await run(["rec.wav"], after: "", then: ">> rec.wav")
            #expect(finished.end == .exited(64))
            #expect(contents()["rec.wav"] == FileManager.default.contents(atPath: digits.path))
        }

        @Test(
            "in a folder that everybody may write to replaces a symbolic link there, not its target",
            arguments: [0o1777, 0o777, 0o775] as [mode_t])
        func plantedLink(mode: mode_t) async throws {
            mkdir(sandbox.file("all"), 0o700)
            chmod(sandbox.file("all"), mode)
            sandbox.put("precious", in: "target")
            let path = sandbox.file("all/digits-slt.txt")
            for name in ["digits-slt.txt", "digits-slt.txt.part"] {
                #expect(symlink("../target", sandbox.file("all/\(name)")) == 0)
            }
            let named = try await sandbox.transcribe("-o", path, digits.path)
            #expect(named.end == .exited(73))
            #expect(named.errors.contains("a symbolic link leads to it from a folder that others may write to"))
            let placed = try await sandbox.transcribe("--output-dir", sandbox.file("all"), digits.path)
            #expect(placed.end == .exited(0))
            #expect(sandbox.text(of: "all/digits-slt.txt") == digits.transcript + "\n")
            #expect(sandbox.text(of: "target") == "precious")
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG)
            // A link on the way is not followed either.
            mkdir(sandbox.file("mine"), 0o700)
            #expect(symlink("../mine", sandbox.file("all/way")) == 0)
            #expect(
                try await sandbox.transcribe("--output-dir", sandbox.file("all/way"), digits.path).end == .exited(73))
            #expect(sandbox.names(in: "mine") == [])
        }

        @Test(
            "that is interrupted leaves a part and the old file, and the next complete one removes the part",
            arguments: [SIGINT, SIGTERM, SIGHUP], ["-o", "--output-dir"])
        func interrupted(by number: Int32, option: String) async throws {
            sandbox.put("old", in: "stdin.srt")
            let options = ["-f", "srt", option, option == "-o" ? sandbox.file("stdin.srt") : sandbox.path]
            let program = try sandbox.start(options + ["--raw", "--rate", "16000", "-"], input: .pipe)
            let input = program.input
            try await program.write(Array(Sound.bytes(of: memo.samples)[..<220_000]), closes: false)
            try await onThread { try waitUntilRead(input) }
            program.signal(number)
            let finished = try await program.finish()
            close(input)
            #expect(finished.end == .exited(128 + number))
            #expect(finished.errors == "utter: what was heard until then is in \(sandbox.file("stdin.srt.part"))\n")
            #expect(sandbox.text(of: "stdin.srt") == "old")
            #expect(sandbox.text(of: "stdin.srt.part")?.contains(digits.transcript) == true)
            let whole = try await sandbox.utter(
                ["transcribe"] + options + ["--raw", "--rate", "16000", "-"],
                input: .descriptor(open(digits.path, O_RDONLY | O_CLOEXEC)))
            #expect(whole.end == .exited(0))
            #expect(!sandbox.names().contains("stdin.srt.part") && sandbox.text(of: "stdin.srt") != "old")
        }

        @Test("of several inputs is a part if one of them was cut, and complete if one had no text")
        func several() async throws {
            let missing = sandbox.file("missing.wav")
            let out = sandbox.file("out.txt")
            #expect(try await sandbox.transcribe("-o", out, digits.path, missing).end == .exited(66))
            #expect(sandbox.text(of: "out.txt") == "==> \(digits.path) <==\n\(digits.transcript)\n")
            let cut = sandbox.file("cut.mkv")
            try await sandbox.run("ffmpeg", "-v", "error", "-i", memo.path, cut)
            #expect(truncate(cut, off_t(FileManager.default.contents(atPath: cut)!.count * 3 / 5)) == 0)
            #expect(try await sandbox.transcribe("-o", out, cut, digits.path).end == .exited(65))
            #expect(sandbox.text(of: "out.txt") == "==> \(digits.path) <==\n\(digits.transcript)\n")
            #expect(sandbox.text(of: "out.txt.part")?.hasSuffix("\n\(digits.transcript)\n") == true)
        }

        @Test(
            "to a pipe that nobody reads ends at the first signal, and so does an input that nobody writes",
            arguments: [SIGINT, SIGTERM])
        func pipeWithoutOther(_ number: Int32) async throws {
            let pipe = sandbox.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            for (arguments, sign) in [(["-o", pipe, digits.path], "ENXIO"), ([pipe], "\(pipe)\", O_RDONLY|O_NO")] {
                // The log of strace shows when it waits.
                let program = try sandbox.start(
                    arguments, under: ["strace", "-qq", "-f", "-s", "4096", "-e", "trace=openat", "-e", "signal=none"])
                try await program.wait(forError: sign)
                for process in processes(naming: pipe) where process.line.hasPrefix(Sandbox.utter) {
                    kill(Int32(process.id), number)
                }
                let finished = try await program.finish()
                #expect(finished.end == .exited(128 + number))
                #expect(finished.errors.contains("nobody has opened it for reading") == (arguments.count > 1))
            }
            // A reader that opens the pipe late gets all of the text.
            let program = try sandbox.start(["-o", pipe, digits.path])
            let bytes = try await onThread {
                let reading = open(pipe, O_RDONLY | O_CLOEXEC)
                defer { close(reading) }
                var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1000))
                while case let count = read(reading, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
                return bytes
            }
            #expect(String(decoding: bytes, as: UTF8.self) == digits.transcript + "\n")
            #expect(try await program.finish().end == .exited(0))
        }

        @Test("of a killed run leaves nothing, and temporary files of older runs are removed")
        func killed() async throws {
            let old = sandbox.put("old speech", in: ".utter-output-1abc")
            sandbox.put([], in: ".utter-output-not_ours")
            let program = try sandbox.start(
                ["-o", sandbox.file("out.txt"), "--raw", "--rate", "16000", "-"], input: .pipe)
            let input = program.input
            try await program.write(Array(Sound.bytes(of: memo.samples)[..<220_000]), closes: false)
            try await onThread { try waitUntilRead(input) }
            program.signal(SIGKILL)
            _ = try await program.finish()
            close(input)
            #expect(access(old, F_OK) != 0)
            #expect(sandbox.names() == [".utter-output-not_ours", "data", "empty", "home", "state"])
        }

        @Test("for a header that claims 64 channels at 768 kHz needs no more memory than others")
        func claims() async throws {
            let usual = try await sandbox.transcribe(digits.path)
            let file = sandbox.put(
                Array("RIFF".utf8) + [164, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 64, 0]
                    + [0x00, 0xB8, 0x0B, 0x00, 0x00, 0x00, 0xDC, 0x05, 128, 0, 16, 0] + Array("data".utf8) + [
                        128, 0, 0, 0,
                    ]
                    + [UInt8](repeating: 0, count: 128), in: "claims.wav")
            let finished = try await sandbox.transcribe(file)
            #expect(finished.end == .exited(0))
            #expect(finished.peakMemory < usual.peakMemory + 20_000)
        }
    }
}
