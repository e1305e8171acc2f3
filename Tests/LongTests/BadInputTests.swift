import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests that bad input is answered with one clear line and the documented exit code, and no crash.
    @Suite struct BadInput {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")

        struct Case: CustomTestStringConvertible {
            var testDescription: String
            var bytes: [UInt8]
            /// The expected message.
            var message: String
        }

        static let wav = [UInt8](FileManager.default.contents(atPath: Sandbox.fixture("digits-slt.wav"))!)

        private static func patched(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
            var wav = wav
            wav.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            return wav
        }

        private static func number(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        static let png: [UInt8] =
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52]
            + [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1F, 0x15, 0xC4, 0x89]

        /// Some damaged files; WAVReaderTests have the others.
        static let damaged: [Case] = [
            Case(testDescription: "an empty file", bytes: [], message: "it is empty"),
            Case(
                testDescription: "a header of 8 bytes", bytes: Array(wav[..<8]),
                message: "ends inside its first 12 bytes"),
            Case(testDescription: "0 Hz", bytes: patched(24, number(0)), message: "the header says 0 Hz"),
        ]

        static let foreign = [
            Case(
                testDescription: "a text file", bytes: Array("Dear diary, today I said nothing.\n".utf8),
                message: "it is not"),
            Case(testDescription: "a PNG", bytes: png, message: "there is no sound in it"),
        ]

        private func expectOneLine(_ finished: Program.Finished, _ name: String, code: Int32, message: String) {
            #expect(finished.end == .exited(code))
            #expect(finished.output == "")
            #expect(finished.errorLines.count == 1, "\(finished.errors)")
            #expect(finished.errors.hasPrefix("utter: \(name): "), "\(finished.errors)")
            #expect(finished.errors.contains(message), "\(finished.errors)")
            #expect(finished.errors.hasSuffix("\n"))
        }

        @Test("A damaged recording is refused, as a file and on standard input", arguments: damaged)
        func damagedRecording(given: Case) async throws {
            let path = sandbox.put(given.bytes, in: "a.wav")
            let none = ["PATH": sandbox.file("empty")]
            expectOneLine(try await sandbox.transcribe(path), path, code: 65, message: given.message)
            // ffmpeg is not needed for that.
            expectOneLine(try await sandbox.transcribe(path, environment: none), path, code: 65, message: given.message)
            expectOneLine(
                try await sandbox.transcribe("-", stdin: given.bytes), "stdin", code: 65, message: given.message)
            expectOneLine(
                try await sandbox.transcribe("-f", "json", "-j", "4", path), path, code: 65, message: given.message)
        }

        @Test("What isn't sound is refused, with ffmpeg, without it and on standard input", arguments: foreign)
        func foreignFile(given: Case) async throws {
            let path = sandbox.put(given.bytes, in: "a.wav")
            expectOneLine(try await sandbox.transcribe(path), path, code: 65, message: given.message)
            expectOneLine(
                try await sandbox.transcribe(path, environment: ["PATH": sandbox.file("empty")]), path, code: 69,
                message: "ffmpeg, which would convert it, is not installed")
            expectOneLine(
                try await sandbox.transcribe("-", stdin: given.bytes), "stdin", code: 65, message: given.message)
        }

        @Test("A playlist is refused, and the network is not used")
        func playlist() async throws {
            let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nhttp://127.0.0.1:9/a.ts\n".utf8)
            let path = sandbox.put(bytes, in: "a.wav")
            let program = try sandbox.start([path])
            expectOneLine(try await program.finish(), path, code: 65, message: "it is a playlist")
        }

        @Test("An empty folder, a missing file and a file without permission to read are refused")
        func unreadable() async throws {
            expectOneLine(
                try await sandbox.transcribe(sandbox.file("empty")), sandbox.file("empty"), code: 66,
                message: "there is no recording in it")
            let missing = sandbox.file("missing.wav")
            expectOneLine(
                try await sandbox.transcribe(missing), missing, code: 66, message: "No such file or directory")
            let path = sandbox.put(Self.wav, in: "secret.wav")
            chmod(path, 0)
            // Root can read everything unless it gives up that capability.
            let wrapper =
                getuid() == 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"] : []
            expectOneLine(
                try await sandbox.transcribe(path, under: wrapper), path, code: 66, message: "Permission denied")
            expectOneLine(
                try await sandbox.transcribe("--raw", "--rate", "16000", path, under: wrapper), path, code: 66,
                message: "Permission denied")
        }

        @Test("A named pipe is read like a file")
        func namedPipe() async throws {
            let path = sandbox.file("pipe")
            #expect(mkfifo(path, 0o600) == 0)
            let program = try sandbox.start([path])
            let bytes = Self.wav
            try await onThread {
                let descriptor = open(path, O_WRONLY | O_CLOEXEC)
                _ = write(descriptor, bytes, bytes.count)
                close(descriptor)
            }
            #expect(try await program.finish().output == digits.transcript + "\n")
        }

        @Test(
            "If reading fails midway, the text so far is written as a complete document, and the error is reported",
            arguments: ["", "-o", "--output-dir"])
        func readFails(option: String) async throws {
            let options = [
                "": [], "-o": ["-o", sandbox.file("stdin.json")], "--output-dir": ["--output-dir", sandbox.path],
            ]
            // When the other side closes, a terminal returns an error where a pipe ends.
            var (master, slave): (Int32, Int32) = (-1, -1)
            try #require(openpty(&master, &slave, nil, nil, nil) == 0)
            var settings = termios()
            tcgetattr(slave, &settings)
            cfmakeraw(&settings)
            tcsetattr(slave, TCSANOW, &settings)
            for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            let program = try sandbox.start(
                options[option]! + ["-f", "json", "--raw", "--rate", "16000", "-"], input: .descriptor(master))
            let samples = Sound.bytes(of: Recording.named("memo.wav").samples)[..<160_000]
            let writing = slave
            try await onThread {
                var rest = samples
                while !rest.isEmpty {
                    let part = Array(rest.prefix(1024))
                    let count = write(writing, part, part.count)
                    if count > 0 { rest = rest.dropFirst(count) }
                }
                close(writing)
            }
            close(master)
            let finished = try await program.finish()
            #expect(finished.end == .exited(74))
            let part = sandbox.file("stdin.json.part")
            #expect(
                finished.errors == "utter: stdin: can't read it: Input/output error\n"
                    + (option == "" ? "" : "utter: what was heard until then is in \(part)\n"))
            #expect(sandbox.text(of: "stdin.json") == nil)
            let text = option == "" ? finished.output : sandbox.text(of: "stdin.json.part") ?? ""
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let segments = try #require(object?["segments"] as? [[String: Any]])
            #expect(segments.first?["text"] as? String == digits.transcript)
            #expect(object?["duration"] as? Double == 5)
        }

        @Test(
            "A format that ffmpeg reads, but with an unsupported sample rate, ends with one line, and leaves no process"
        )
        func tooSlow() async throws {
            let path = sandbox.file("slow.aiff")
            try await sandbox.run("sox", "-n", "-r", "800", path, "synth", "200", "sine", "100")
            let program = try sandbox.start([path])
            expectOneLine(try await program.finish(), path, code: 65, message: "800 Hz")
            #expect(processes(naming: path).isEmpty && converters(of: path).isEmpty)
        }

        static let names = [
            "\u{1B}[31mred\u{1B}]0;title\u{07}.wav", "two\nlines.wav", "tab\tand\rreturn.wav", "\u{7F}\u{9B}31m.wav",
            "right\u{202E}vaw.wav", "line\u{2028}separator.wav",
        ]

        @Test(
            "No control character in a name reaches the terminal, in any message", arguments: Tier.every(2, of: names))
        func hostileName(name: String) async throws {
            let path = sandbox.file(name)
            func check(_ finished: Program.Finished, _ code: Int32) {
                #expect(finished.end == .exited(code))
                #expect(finished.errors != "" && finished.errors.hasSuffix("\n"))
                for line in finished.errors.components(separatedBy: "\n").dropLast() {
                    #expect(line.hasPrefix("utter: ") || line.hasPrefix("Try 'utter "))
                }
                for text in [finished.errors, finished.output] { #expect(text.unicodeScalars.allSatisfy(isHarmless)) }
            }
            check(try await sandbox.transcribe(path), 66)
            check(try await sandbox.transcribe("--model", path, digits.path), 69)
            check(try await sandbox.transcribe("--model", name, digits.path), 69)
            check(try await sandbox.transcribe("--locale", name, digits.path), 69)
            check(try await sandbox.transcribe("--vocabulary", path, digits.path), 66)
            check(try await sandbox.transcribe("--phrase", name, digits.path), 78)
            check(try await sandbox.transcribe("-o", path + "/x", digits.path), 73)
            check(try await sandbox.transcribe("--output-dir", digits.path + "/" + name, digits.path), 73)
            check(try await sandbox.transcribe("--format", name, digits.path), 64)
            check(try await sandbox.transcribe("--" + name, digits.path), 64)
            sandbox.put("text, not sound", in: name)
            check(try await sandbox.transcribe(path), 65)
            check(try await sandbox.transcribe(path, environment: ["PATH": sandbox.file("empty")]), 69)
            sandbox.put(Self.damaged[2].bytes, in: name)
            check(try await sandbox.transcribe(path), 65)
            // A good file with this name is in messages and in the output too.
            sandbox.put(Self.wav, in: name)
            let finished = try await sandbox.transcribe("-v", "-f", "jsonl", path)
            check(finished, 0)
            #expect(try JSONTranscript.parse(lines: finished.output)[path]?.text == digits.transcript)
        }

        @Test("A name that isn't UTF-8 is refused in its visible form")
        func invalidName() async throws {
            let finished = try await sandbox.transcribe(
                [], under: ["sh", "-c", #"exec "$0" "$@" "$(printf 'caf\351.wav')""#])
            #expect(finished.end == .exited(64))
            #expect(finished.errors.contains("caf\\xE9.wav is not UTF-8"))
            #expect(finished.errors.unicodeScalars.allSatisfy(isHarmless))
        }
    }
}

/// Whether a terminal only shows a character, and does nothing else.
func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: true
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFD: false
    default: true
    }
}
