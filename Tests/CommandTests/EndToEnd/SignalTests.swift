import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests of signals, closed readers, full disks and missing descriptors.
    @Suite struct Ends {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        @Test(
            "After a signal while a slow pipe is read, the text so far is completed and written",
            arguments: zip([130, 143] as [Int32], ["text", "json"]))
        func interrupted(code: Int32, format: String) async throws {
            // The samples end in the second utterance.
            let heard = Array(Sound.bytes(of: memo.samples)[..<220_000])
            let whole = sandbox.put(heard, in: "heard.raw")
            let expected = try await sandbox.transcribe("--raw", "--rate", "16000", "-f", format, whole)
            #expect(expected.output.contains("january"))

            let program = try sandbox.start(["--raw", "--rate", "16000", "-f", format, "-"], input: .pipe)
            let input = program.input
            try await program.write(heard, closes: false)
            try await onThread { try waitUntilRead(input) }
            try await program.wait(forOutput: digits.transcript)
            program.signal(code - 128)
            let finished = try await program.finish()
            close(input)
            #expect(finished.end == .exited(code))
            let cut = expected.output.replacingOccurrences(of: whole, with: "stdin")
                .replacingOccurrences(of: "}\n", with: ",\"complete\":false}\n", options: [.backwards, .anchored])
            #expect(finished.output == cut)
            #expect(finished.errors == "")
        }

        @Test(
            "After a signal among several files, the current one is finished, its output is in place, and no other is begun"
        )
        func interruptedFiles() async throws {
            let long = sandbox.file("long.wav")
            try await sandbox.run("sox", memo.path, long, "repeat", "25")
            for input in [long, sandbox.file("long.flac")] {
                if input != long { try await sandbox.run("ffmpeg", "-v", "error", "-i", long, input) }
                let next = sandbox.file("next.wav")
                let program = try sandbox.start(["-j", "1", input, next])
                try await program.wait(forOutput: "january")
                // A converter must not end by the signal, which a shell sends to all processes.
                let running = converters(of: input)
                #expect(running.isEmpty == (input == long))
                for converter in running { #expect(blockedSignals(of: converter) == 0) }
                program.signal(SIGINT)
                let finished = try await program.finish()
                finished.expectEnd(130, errors: "")
                #expect(finished.output.hasPrefix("==> \(input) <==\n\(digits.transcript)\n\(date.transcript)\n"))
                #expect(finished.outputLines.count < 200)
                #expect(processes(naming: input).isEmpty)
                #expect(converters(of: input).isEmpty)
            }
        }

        @Test("A signal before anything was heard ends it without a complaint, and leaves the old file")
        func interruptedAtOnce() async throws {
            sandbox.put("old", in: "out.txt")
            let sound = try Data(contentsOf: URL(fileURLWithPath: Sandbox.fixture("digits-slt.wav")))
            for count in [0, 5, 30] {
                let program = try sandbox.start(["-v", "-o", sandbox.file("out.txt"), "-"], input: .pipe)
                let input = program.input
                try await program.write(Array(sound.prefix(count)), closes: false)
                // The output is created after the signal handlers are set.
                try await onThread { [sandbox] in
                    try Patience.waitOnThread(for: "the output is made") {
                        unnamedFile(of: program.processID, in: sandbox.path) != nil
                    }
                    try waitUntilRead(input)
                }
                program.signal(SIGINT)
                let finished = try await program.finish()
                close(input)
                #expect(finished.end == .exited(130))
                // With -v it says who decides.
                #expect(
                    finished.errorLines.count == 1 && finished.errors.contains("(libvosk) cuts, guesses and decides"))
                #expect(sandbox.text(of: "out.txt") == "old")
                #expect(sandbox.names() == ["data", "empty", "home", "out.txt", "state"])
            }
        }

        @Test(
            "A reader that closes has not all: no sentence, and the exit status of SIGPIPE",
            arguments: Tier.every(2, of: ["2", "1"]))
        func readerGoesAway(jobs: String) async throws {
            let (reading, writing) = makePipe()
            close(reading)
            let finished = try await sandbox.transcribe(
                "-j", jobs, digits.path, memo.path, date.path, output: .descriptor(writing))
            close(writing)
            finished.expectEnd(141, errors: "")

            let piped = try await sandbox.transcribe(
                "-j", jobs, digits.path, memo.path, date.path, under: ["sh", "-c", #""$0" "$@" | head -n 2"#])
            #expect(piped.output == "==> \(digits.path) <==\n\(digits.transcript)\n")
            #expect(piped.errors == "" && piped.end == .exited(0))
        }

        @Test("If the reader closes while it waits for input, it ends")
        func readerGoesAwayWhileWaiting() async throws {
            let (reading, writing) = makePipe()
            close(reading)
            let program = try sandbox.start(
                ["-j", "2", digits.path, "-"], input: .pipe, output: .descriptor(writing))
            let finished = try await program.finish()
            close(program.input)
            close(writing)
            finished.expectEnd(141, errors: "")
        }

        @Test("A full disk is reported once, with its exit code", arguments: Tier.every(2, of: ["3", "1"]))
        func fullDisk(jobs: String) async throws {
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let finished = try await sandbox.transcribe(
                "-j", jobs, digits.path, memo.path, date.path, output: .descriptor(full))
            finished.expectEnd(74, errors: "utter: can't write standard output: No space left on device\n")
        }

        @Test(
            "An output file that exceeds a limit is reported, the old one stays, and what is whole of the text is a part",
            .notThreadSanitized("it has a file of its own, and the limit is for that too"),
            .enabled(if: !Coverage.isCounted, "what counts the coverage writes a file, and the limit is for that too"))
        func limitedFile() async throws {
            sandbox.put("old", in: "out.jsonl")
            // The limit is some blocks, and its signal would end a program that does not ignore it.
            let finished = try await sandbox.transcribe(
                "-f", "jsonl", "-o", sandbox.file("out.jsonl"), memo.path, date.path,
                under: ["sh", "-c", #"ulimit -f 4; exec "$0" "$@""#])
            let part = sandbox.file("out.jsonl.part")
            finished.expectEnd(
                74,
                errors: "utter: can't write \(sandbox.file("out.jsonl")): File too large\n"
                    + "utter: what was heard until then is in \(part)\n")
            #expect(sandbox.text(of: "out.jsonl") == "old")
            let whole = try await sandbox.transcribe("-f", "jsonl", memo.path, date.path)
            let kept = try #require(sandbox.text(of: "out.jsonl.part"))
            #expect(whole.output.hasPrefix(kept) && kept.hasSuffix("}\n"))
            #expect(sandbox.names() == ["data", "empty", "home", "out.jsonl", "out.jsonl.part", "state"])
        }

        @Test("With standard descriptors closed nothing is written where it doesn't belong")
        func closed() async throws {
            let missing = sandbox.file("missing.wav")
            let out = sandbox.file("out.txt")
            let text = "==> \(digits.path) <==\n\(digits.transcript)\n\n==> \(date.path) <==\n\(date.transcript)\n"
            for (input, output, errors) in [
                (.closed, .nothing, .closed), (.nothing, .closed, .closed), (.closed, .closed, .closed),
            ] as [(Program.Attachment, Program.Attachment, Program.Attachment)] {
                let finished = try await sandbox.transcribe(
                    "-o", out, digits.path, missing, date.path, input: input, output: output, errors: errors)
                #expect(finished.end == .exited(66))
                #expect(sandbox.text(of: "out.txt") == text)
                unlink(out)
            }
            let noOutput = try await sandbox.transcribe(digits.path, date.path, output: .closed)
            noOutput.expectEnd(74, errors: "utter: can't write standard output: Bad file descriptor\n")
            let noInput = try await sandbox.transcribe("-", input: .closed)
            noInput.expectEnd(74, errors: "utter: stdin: can't read it: Bad file descriptor\n")
        }
    }
}
