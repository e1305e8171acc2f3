import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// What was said goes where the user wants it and nowhere else.
    @Suite struct Privacy {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        /// The words of `text` that were said.
        private func saidWords(in text: String) -> Set<String> {
            let letters = text.lowercased().split { !$0.isLetter }.map(String.init)
            // Short words are said by logs as well.
            return Set(memo.transcript.split(separator: " ").map(String.init).filter { $0.count > 2 }).intersection(letters)
        }

        @Test("The log and the errors hold nothing of what was said")
        func log() async throws {
            // Names of our own, since the fixtures' may hold words.
            let path = sandbox.file("x.wav")
            try FileManager.default.copyItem(atPath: memo.path, toPath: path)
            let cut = sandbox.put(Array(try Data(contentsOf: URL(fileURLWithPath: path)).prefix(500_001)), in: "y.wav")
            let finished = try await sandbox.transcribe(
                "-v", "-j", "2", "--alternatives", "3", path, cut, sandbox.file("z.wav"))
            #expect(finished.errorLines.count > 5)
            #expect(finished.errors.contains("samples = "))
            #expect(saidWords(in: finished.errors) == [])
            #expect(saidWords(in: finished.output).count > 10)

            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let failed = try await sandbox.transcribe("-v", path, output: .descriptor(full))
            #expect(failed.end == .exited(74))
            #expect(saidWords(in: failed.errors) == [])
        }

        @Test("Every sample is accounted for on -v: transcribed or silent, none pending or missing")
        func ledger() async throws {
            let finished = try await sandbox.transcribe("-v", memo.path)
            let line = try #require(finished.errorLines.first { $0.contains("samples = ") })
            let numbers = line.dropFirst(("utter: " + memo.path).count).split { !$0.isNumber }.compactMap { Int($0) }
            #expect(numbers.count == 5)
            #expect(numbers[0] == memo.samples.count)
            #expect(numbers[1] + numbers[2] == numbers[0] && numbers[3] == 0 && numbers[4] == 0)
        }

        @Test("Nothing is left among the temporary files")
        func leftovers() async throws {
            try FileManager.default.createDirectory(atPath: sandbox.file("tmp"), withIntermediateDirectories: false)
            let flac = sandbox.file("memo.flac")
            try await sandbox.run("ffmpeg", "-v", "error", "-i", memo.path, flac)
            let finished = try await sandbox.transcribe(
                "-v", memo.path, flac, sandbox.file("missing.wav"), environment: ["TMPDIR": sandbox.file("tmp")])
            #expect(finished.end == .exited(66))
            // The model's settings were there.
            #expect(finished.errors.contains(sandbox.file("tmp")))
            #expect(sandbox.names(in: "tmp") == [])
        }

        static let strace = ["/usr/bin/strace", "/bin/strace"].first { FileManager.default.isExecutableFile(atPath: $0) }

        /// The system calls that could reach beyond this machine.
        @Test("Nothing reaches for the network", .enabled(if: strace != nil, "strace is not installed"))
        func network() async throws {
            let planted = try await sandbox.networkCalls(["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9"])
            #expect(planted.calls.contains { $0.contains("AF_INET") })

            let ogg = sandbox.file("memo.ogg")
            try await sandbox.run("ffmpeg", "-v", "error", "-i", memo.path, ogg)
            let list = "ffconcat version 1.0\nfile http://127.0.0.1:9/a.wav\n"
            let concat = sandbox.put(Array(list.utf8), in: "list.wav")
            let seen = try await sandbox.networkCalls([
                Sandbox.utter, "transcribe", memo.path, ogg, concat, "http://127.0.0.1:9/a.wav",
            ])
            #expect(seen.calls == [])
        }
    }
}
