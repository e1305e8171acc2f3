import Foundation
import System
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct Memory {
        private let sandbox = Sandbox()

        /// The most memory that it took for a recording, in KiB.
        ///
        /// Asked while it waits for another one on standard input, since what wait4 says includes the memory of the process that
        /// started it.
        private func peak(_ path: String) async throws -> Int {
            let program = try sandbox.start(["-v", path, "-"], input: .pipe)
            try await program.wait(forError: "utter: \(path): ")
            let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            close(program.input)
            _ = try await program.finish()
            return try #require(Int(line.split { !$0.isNumber }.first ?? ""))
        }

        // Up to its fourth minute a recognizer still grows; then it is renewed, and grows to the same size again.
        @Test(
            "Twenty minutes take no more memory than five", .long,
            .notSanitized("its own memory is in the figures"))
        func flat() async throws {
            let memo = Recording.named("memo.wav")
            let (short, long) = (sandbox.file("short.wav"), sandbox.file("long.wav"))
            try await sandbox.run("sox", memo.path, short, "repeat", "11")
            try await sandbox.run("sox", memo.path, long, "repeat", "45")
            async let first = peak(short)
            let (many, few) = (try await peak(long), try await first)
            print("peak memory: \(few) KiB for five minutes, \(many) KiB for twenty")
            #expect(few > 5000)
            // Read whole, the longer file would take 29 MB more. What is seen, 6 to 11, is free pages that the C library's heaps
            // keep; the installed command does without those heaps.
            #expect(many - few < 16 * 1024)
        }
    }
}
