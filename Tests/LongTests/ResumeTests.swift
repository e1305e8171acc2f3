import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    @Suite("A transcription that is resumed")
    struct Resuming {
        private let sandbox = Sandbox()
        private let recordings = Tier.every(
            3, of: Recording.fixtures.filter { !$0.name.hasPrefix("memo") && $0.phrases.isEmpty })
        private let memo = Recording.named("memo.wav")

        private var texts: String { sandbox.file("texts") }

        private func name(_ recording: Recording) -> String { recording.name.replacing(".wav", with: ".txt") }

        /// The contents of the output files, by name.
        private var transcripts: [String: String] {
            Dictionary(
                uniqueKeysWithValues: sandbox.names(in: "texts").map { ($0, sandbox.text(of: "texts/" + $0) ?? "") })
        }

        private func expected(_ recordings: [Recording]) async throws -> [String: String] {
            var expected: [String: String] = [:]
            for recording in recordings {
                expected[name(recording)] = try await sandbox.transcribe(recording.path).output
            }
            return expected
        }

        private func resume(_ recordings: [Recording], under wrapper: [String] = []) throws -> Program {
            mkdir(texts, 0o700)
            return try sandbox.start(
                ["-j", "1", "--resume", "--output-dir", texts] + recordings.map(\.path), under: wrapper)
        }

        @Test("skips the files that are done, and does the rest")
        func leavesOut() async throws {
            mkdir(texts, 0o700)
            sandbox.put("done\n", in: "texts/" + name(recordings[1]))
            let finished = try await resume(recordings).finish()
            finished.expectEnd(0, output: "", errors: "utter: 1 left out, for it was done already\n")
            var all = try await expected(recordings)
            all[name(recordings[1])] = "done\n"
            #expect(transcripts == all)
        }

        @Test("says that a recording has changed since its transcript was written, and leaves both as they are")
        func changedSince() async throws {
            mkdir(texts, 0o700)
            let talk = sandbox.file("talk.wav")
            try await sandbox.run("cp", recordings[0].path, talk)
            sandbox.put("done\n", in: "texts/talk.txt")
            try await sandbox.run("touch", "-d", "2 days ago", texts + "/talk.txt")
            let finished = try await resume([Recording(path: talk, transcript: "")]).finish()
            finished.expectEnd(
                0,
                errors: "utter: 1 left out, for it was done already, but 1 changed since: to do that again, "
                    + "remove the old transcript\n")
            #expect(transcripts == ["talk.txt": "done\n"])
        }

        @Test(
            "takes no text of another recording of the same name for its own, and says so; a moved recording is the same"
        )
        func otherOfTheSameName() async throws {
            let talks = ["a", "b"].map { folder in
                mkdir(sandbox.file(folder), 0o700)
                return Recording(path: sandbox.file(folder + "/talk.wav"), transcript: "")
            }
            for (talk, recording) in zip(talks, recordings) {
                try FileManager.default.copyItem(atPath: recording.path, toPath: talk.path)
            }
            #expect(try await resume([talks[0]]).finish().exitCode == 0)
            let before = transcripts
            let other = try await resume([talks[1]]).finish()
            other.expectEnd(
                73, output: "",
                errors: "utter: \(talks[1].path): \(texts)/talk.txt is the text of \(talks[0].path); give the two an "
                    + "--output-dir each\n")
            #expect(transcripts == before)
            let replacing = try await sandbox.transcribe("--output-dir", texts, talks[1].path)
            replacing.expectEnd(
                0, output: "",
                errors: "utter: \(texts)/talk.txt will be replaced, which is the text of \(talks[0].path); "
                    + "give the two an --output-dir each\n")
            #expect(try await sandbox.transcribe("--output-dir", texts, talks[0].path).exitCode == 0)
            #expect(transcripts == before)
            let moved = Recording(path: sandbox.file("talk.wav"), transcript: "")
            #expect(rename(talks[0].path, moved.path) == 0)
            #expect(try await resume([moved]).finish().errors == "utter: 1 left out, for it was done already\n")
        }

        @Test(
            "has no output of an interrupted recording; the next run writes it whole", .long,
            arguments: [SIGINT, SIGTERM, SIGKILL])
        func cutOff(_ number: Int32) async throws {
            let long = sandbox.file("long.wav")
            try await sandbox.run("sox", memo.path, long, "repeat", "4")
            let all = [recordings[0], Recording(path: long, transcript: "")]
            let program = try resume(all)
            // When the first output exists, the second recording is being read. Wait on a thread, which no other test delays.
            try await onThread { [sandbox, texts] in
                let watch = inotify_init1(Int32(IN_CLOEXEC))
                defer { close(watch) }
                inotify_add_watch(watch, texts, UInt32(IN_MOVED_TO | IN_CREATE))
                var buffer = [UInt8](repeating: 0, count: 4096)
                while !sandbox.names(in: "texts").contains(where: { $0.hasSuffix(".txt") && !$0.hasPrefix(".") }) {
                    _ = read(watch, &buffer, buffer.count)
                }
                program.signal(number)
            }
            let finished = try await program.finish()
            #expect(finished.end == (number == SIGKILL ? .killed(signal: SIGKILL) : .exited(128 + number)))
            // There is a part if anything was heard before the signal.
            let part =
                transcripts["long.txt.part"] == nil
                ? "" : "utter: what was heard until then is in \(texts)/long.txt.part\n"
            #expect(finished.errors == part)
            #expect(transcripts.filter { $0.key != "long.txt.part" } == (try await expected([recordings[0]])))
            #expect(try await resume(all).finish().exitCode == 0)
            #expect(transcripts["long.txt.part"] == nil)
            let whole = try await sandbox.transcribe(long).output
            #expect(transcripts["long.txt"] == whole)
        }

        @Test("has no output of a damaged recording, and reports it each time")
        func damaged() async throws {
            let broken = Recording(path: sandbox.put("no sound", in: "broken.wav"), transcript: "")
            for _ in 1...2 {
                let finished = try await resume([broken, recordings[0]]).finish()
                #expect(finished.exitCode == 65 && finished.errors.contains("broken.wav"))
                #expect(transcripts == (try await expected([recordings[0]])))
            }
        }

        @Test("may run several times at once, by GNU parallel and as a Slurm array")
        func together() async throws {
            let all = try await expected(recordings)
            let path =
                URL(fileURLWithPath: Sandbox.utter).deletingLastPathComponent().path + ":"
                + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            let list = sandbox.put(recordings.map { $0.path + "\n" }.joined(), in: "list")
            mkdir(texts, 0o700)
            func run(_ command: [String], _ environment: [String: String] = [:]) throws -> Program {
                try Program(command, environment: sandbox.environment(environment.merging(["PATH": path]) { $1 }))
            }
            // Two identical runs at the same time.
            let programs = try (0..<2).map { _ in
                try run([
                    "parallel", "--will-cite", "-m", "-j", "2", "-a", list, "utter", "transcribe", "--resume",
                    "--output-dir", texts,
                ])
            }
            for program in programs {
                let finished = try await program.finish()
                // What the other run has done already is left out.
                let others = finished.errorLines.filter { !$0.hasSuffix(" done already") }
                #expect(finished.exitCode == 0 && others == [])
            }
            #expect(transcripts == all)
            try FileManager.default.removeItem(atPath: texts)
            for task in 0..<3 {
                let finished = try await run(
                    [Sandbox.root + "/Examples/transcribe-array.sh", list, texts, "--format", "text"],
                    ["SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_ID": String(task), "SLURM_CPUS_PER_TASK": "2"]
                ).finish()
                #expect(finished.exitCode == 0 && finished.errors == "")
                #expect(transcripts.count < all.count || task == 2)
            }
            #expect(transcripts == all)
        }

        @Test("needs a folder")
        func needsFolder() async throws {
            let finished = try await sandbox.transcribe("--resume", memo.path)
            #expect(finished.exitCode == 64 && finished.errors.contains("--resume needs --output-dir"))
        }
    }
}
