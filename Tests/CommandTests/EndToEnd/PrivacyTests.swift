import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// Tests that the text goes where the user wants it and nowhere else.
    @Suite struct Privacy {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")

        /// The words of a text that are also in the recording.
        private func saidWords(in text: String) -> Set<String> {
            let letters = text.lowercased().split { !$0.isLetter }.map(String.init)
            // Short words are left out, since messages have them too.
            return Set(memo.transcript.split(separator: " ").map(String.init).filter { $0.count > 2 }).intersection(
                letters)
        }

        @Test("The log and the errors have no word of what was said")
        func log() async throws {
            // Use other file names, since those of the fixtures have words of their texts.
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

        @Test("Nothing is left among the temporary files")
        func leftovers() async throws {
            try FileManager.default.createDirectory(atPath: sandbox.file("tmp"), withIntermediateDirectories: false)
            let flac = sandbox.file("memo.flac")
            try await sandbox.run("ffmpeg", "-v", "error", "-i", memo.path, flac)
            let finished = try await sandbox.transcribe(
                "-v", memo.path, flac, sandbox.file("missing.wav"), environment: ["TMPDIR": sandbox.file("tmp")])
            #expect(finished.end == .exited(66))
            // The overlay of the model's settings was there.
            #expect(finished.errors.contains(sandbox.file("tmp")))
            #expect(sandbox.names(in: "tmp") == [])
        }
    }
}
