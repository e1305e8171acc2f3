import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Recordings that ffmpeg converts, and its failures. It is the real ffmpeg; for a failure at a certain place, a script of that name
    /// runs it.
    @Suite("A recording that ffmpeg converts")
    struct Converter {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        private static let ffmpeg =
            (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
            .map { String($0) + "/ffmpeg" }.first { access($0, X_OK) == 0 } ?? "/usr/bin/ffmpeg"

        /// Installs a script as ffmpeg, in which the real one is `$FFMPEG`, and returns the `PATH` for it.
        private func script(_ lines: String) async throws -> [String: String] {
            try FileManager.default.createDirectory(atPath: sandbox.file("programs"), withIntermediateDirectories: true)
            let source = sandbox.put("#!/bin/sh\nFFMPEG='\(Self.ffmpeg)'\n\(lines)\n", in: "script")
            try await sandbox.install(source, as: sandbox.file("programs/ffmpeg"))
            unlink(source)
            return ["PATH": sandbox.file("programs") + ":" + sandbox.environment()["PATH"]!]
        }

        private func converted(_ name: String, _ options: [String] = []) async throws -> String {
            let path = sandbox.file(name)
            try await sandbox.run([Self.ffmpeg, "-v", "error", "-i", memo.path] + options + [path])
            return path
        }

        private func cut(_ path: String, to share: Double) {
            let size = FileManager.default.contents(atPath: path)!.count
            #expect(truncate(path, off_t(Double(size) * share)) == 0)
        }

        struct Failure: CustomTestStringConvertible {
            var testDescription: String
            /// The command that ends the script, after 14 s of sound.
            var end: String
            var code: Int32
            var message: String
        }

        static let failures = [
            Failure(
                testDescription: "killed", end: "kill -9 $$", code: 74,
                message: "ffmpeg was killed before the end (by signal 9)"),
            Failure(
                testDescription: "failed", end: "echo broke >&2; exit 1", code: 65,
                message: "ffmpeg stopped before the end: broke"),
            Failure(
                testDescription: "terminated", end: "kill $$", code: 74,
                message: "ffmpeg was killed before the end (by signal 15)"),
            Failure(
                testDescription: "could not read on", end: "echo 'file:/dev/fd/0: Input/output error' >&2", code: 65,
                message: "it is damaged or was cut off, and some of its sound is missing: Input/output error"),
        ]

        /// Each failure with each option, in the long tier.
        static let cases = failures.flatMap { failure in ["-o", "--output-dir", "--resume"].map { (failure, $0) } }

        @Test(
            "which fails in the middle is an error; the text so far is kept as a part, and the next run does it again",
            arguments: Tier.every(4, of: cases))
        func failsInTheMiddle(_ failure: Failure, option: String) async throws {
            let path = try await converted("talk.flac")
            let options =
                switch option {
                case "-o": ["-o", sandbox.file("talk.txt")]
                case "--resume": ["--resume", "--output-dir", sandbox.path]
                default: ["--output-dir", sandbox.path]
                }
            if option != "--resume" { sandbox.put("old", in: "talk.txt") }
            let environment = try await script("\"$FFMPEG\" \"$@\" | head -c 448000\n" + failure.end)
            let cut = try await sandbox.transcribe(options + ["-q", path], environment: environment)
            #expect(cut.end == .exited(failure.code))
            #expect(cut.errorLines.count == 2)
            #expect(cut.errors.hasPrefix("utter: \(path): \(failure.message)"))
            #expect(cut.errors.hasSuffix("utter: what was heard until then is in \(sandbox.file("talk.txt.part"))\n"))
            #expect(sandbox.text(of: "talk.txt") == (option == "--resume" ? nil : "old"))
            let part = try #require(sandbox.text(of: "talk.txt.part"))
            #expect(memo.transcript.hasPrefix(part.split(separator: "\n").first.map(String.init) ?? "?"))
            #expect(sandbox.mode(of: "talk.txt.part") == 0o600)

            let whole = try await sandbox.transcribe(options + ["-q", path])
            #expect(whole.end == .exited(0) && whole.errors == "")
            #expect(sandbox.text(of: "talk.txt") == (try await sandbox.transcribe(memo.path).output))
            #expect(!sandbox.names().contains("talk.txt.part"))
        }

        @Test("with several sound tracks is heard to the first, and a sentence says so")
        func tracks() async throws {
            let path = sandbox.file("two.mkv")
            try await sandbox.run(
                Self.ffmpeg, "-v", "error", "-i", memo.path, "-f", "lavfi", "-i", "sine=duration=3", "-map", "0",
                "-map", "1", path)
            let plain = try await sandbox.transcribe(memo.path)
            let finished = try await sandbox.transcribe(path)
            finished.expectEnd(
                0, output: plain.output,
                errors:
                    "utter: \(path): it has 2 sound tracks, of which the first was heard; this makes a recording of the "
                    + "second: ffmpeg -i FILE -map 0:a:1 second.wav\n")
        }

        @Test("in which the sound begins late or has a hole keeps its times, and one whose times go back loses nothing")
        func times() async throws {
            let plain = try await sandbox.transcribe("-f", "tsv", memo.path)
            func starts(_ output: String) -> [Double] {
                output.split(separator: "\n").dropFirst().compactMap { Double($0.split(separator: "\t")[0]) }
            }
            let late = sandbox.file("late.mkv")
            try await sandbox.run(
                Self.ffmpeg, "-v", "error", "-f", "lavfi", "-i", "testsrc=duration=9:size=64x64:rate=5", "-itsoffset",
                "3",
                "-i", memo.path, "-map", "0:v", "-map", "1:a", "-c:v", "mpeg4", "-c:a", "flac", late)
            let moved = starts(try await sandbox.transcribe("-f", "tsv", late).output)
            let before = starts(plain.output)
            #expect(!before.isEmpty && moved.count == before.count)
            #expect(zip(moved, before).allSatisfy { abs($0 - $1 - 3) < 0.06 })

            let back = sandbox.file("back.mkv")
            try await sandbox.run(
                Self.ffmpeg, "-v", "error", "-i", memo.path, "-af", "asetpts='if(gt(T,5),PTS-0.5/TB,PTS)'", "-c:a",
                "pcm_s16le", back)
            #expect(try await sandbox.transcribe("-f", "tsv", back).output == plain.output)
        }

        @Test("whose rate and channels change within it keeps its times")
        func changedFormat() async throws {
            func part(_ name: String, _ options: String...) async throws -> [UInt8] {
                [UInt8](FileManager.default.contents(atPath: try await converted(name, options))!)
            }
            func lastEnd(_ path: String) async throws -> Double? {
                let lines = try await sandbox.transcribe("-f", "tsv", path).outputLines
                return lines.last.flatMap { Double($0.split(separator: "\t")[1]) }
            }
            let first = try await part("1.ts", "-ar", "48000", "-ac", "2", "-c:a", "ac3")
            let second = try await part(
                "2.ts", "-ar", "44100", "-ac", "1", "-c:a", "ac3", "-output_ts_offset", "26.04")
            let plain = try #require(try await lastEnd(memo.path))
            let end = try #require(try await lastEnd(sandbox.put(first + second, in: "both.ts")))
            #expect(abs(end - plain - 26.04) < 0.2)
        }

        @Test(
            "and was cut off is an error if ffmpeg notices, also on standard output",
            arguments: [
                "talk.mkv", "talk.mp4", "talk.mp3", "talk.flac", "talk.aac", "talk.wma", "talk.wv", "talk.caf",
                "talk.avi",
                "talk.ac3", "talk.mpg", "talk.aiff", "talk.w64",
            ])
        func cutOff(name: String) async throws {
            let path = try await converted(name, name == "talk.mp4" ? ["-c:a", "aac", "-movflags", "faststart"] : [])
            cut(path, to: 0.6)
            let finished = try await sandbox.transcribe(path)
            #expect(finished.end == .exited(65))
            #expect(
                finished.errors.hasPrefix(
                    "utter: \(path): it is damaged or was cut off, and some of its sound is missing: ")
            )
            #expect(finished.outputLines.count > 1)
        }

        @Test(
            "that another recording follows is an error if only the first is heard",
            arguments: ["talk.aiff", "talk.w64", "talk.m4a", "talk.caf"])
        func joined(name: String) async throws {
            let path = try await converted(name)
            let whole = try await sandbox.transcribe(path)
            #expect(whole.end == .exited(0) && whole.errors == "")
            let bytes = [UInt8](FileManager.default.contents(atPath: path)!)
            sandbox.put(bytes + bytes, in: name)
            let finished = try await sandbox.transcribe(path)
            #expect(finished.end == .exited(65) && finished.output == whole.output)
            #expect(finished.errors.hasSuffix(": another recording follows behind it, and was not heard\n"))
        }

        @Test("and was written into a pipe, where nobody knew its length, is whole")
        func streamed() async throws {
            let path = sandbox.file("talk.aiff")
            try await sandbox.run("sh", "-c", "sox -V1 '\(memo.path)' -t aiff - | cat > '\(path)'")
            let finished = try await sandbox.transcribe(path)
            finished.expectEnd(0, output: try await sandbox.transcribe(memo.path).output, errors: "")
        }

        @Test(
            "and is damaged in the middle is an error, and what is heard after the damage is in the part",
            arguments: ["talk.mp3", "talk.m4a", "talk.ogg", "talk.flac", "hole.flac"])
        func damaged(name: String) async throws {
            let path = try await converted(name)
            var bytes = [UInt8](FileManager.default.contents(atPath: path)!)
            let middle = bytes.count / 2
            if name.hasPrefix("hole") {
                bytes.removeSubrange(middle..<middle + 20_000)
            } else {
                for index in 0..<40 { bytes[middle + index] = UInt8(truncatingIfNeeded: 31 * index + 13) }
            }
            sandbox.put(bytes, in: name)
            let finished = try await sandbox.transcribe("-o", sandbox.file("out.txt"), path)
            #expect(finished.end == .exited(65))
            #expect(finished.errors.contains("it is damaged or was cut off, and some of its sound is missing: "))
            #expect((sandbox.text(of: "out.txt.part") ?? "").hasSuffix(memo.transcript.suffix(10) + "\n"))
            #expect(sandbox.text(of: "out.txt") == nil)
        }

        @Test(
            "with an ffmpeg that does not end is an error after a while, and a signal ends it at once",
            arguments: [false, true])
        func neverEnds(isSignalled: Bool) async throws {
            let path = try await converted("talk.flac")
            let environment = try await script(
                "\"$FFMPEG\" \"$@\"; exec >&-; echo $$ > '\(sandbox.file("late"))'; exec sleep 1000")
            let program = try sandbox.start([path], environment: environment)
            // The last word is recognized before the end of the input.
            try await program.wait(forOutput: "january")
            if isSignalled {
                try await Patience.wait(for: "the converter has closed its output") {
                    sandbox.text(of: "late")?.hasSuffix("\n") == true
                }
                program.signal(SIGTERM)
            }
            let finished = try await program.finish()
            #expect(finished.end == .exited(isSignalled ? 143 : 74))
            #expect(finished.errors.contains("ffmpeg did not end") == !isSignalled)
            // The script's process is ended too.
            let number = try #require(sandbox.text(of: "late").flatMap { Int32($0.dropLast()) })
            #expect(kill(number, 0) != 0 && errno == ESRCH)
        }

        @Test("with an ffmpeg that writes warnings without end is transcribed, in the usual memory")
        func complainsWithoutEnd() async throws {
            let path = try await converted("talk.flac")
            let usual = try await sandbox.transcribe(path)
            let environment = try await script("head -c 100000000 /dev/zero >&2; exec \"$FFMPEG\" \"$@\"")
            let finished = try await sandbox.transcribe(path, environment: environment)
            #expect(finished.end == .exited(0))
            #expect(finished.output == usual.output)
            #expect(finished.peakMemory < usual.peakMemory + 20_000)
        }
    }
}
