import Foundation
import System
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct Memory {
        private let sandbox = Sandbox()

        /// The peak of the program's memory for a recording, in KiB.
        ///
        /// It is read while the program waits for another recording on standard input, since wait4(2) would include the memory of the
        /// process that started it.
        private func peak(_ path: String) async throws -> Int {
            let program = try sandbox.start(["-v", path, "-"], input: .pipe)
            try await program.wait(forError: "utter: \(path): ")
            let status = try String(contentsOfFile: "/proc/\(program.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            close(program.input)
            _ = try await program.finish()
            return try #require(Int(line.split { !$0.isNumber }.first ?? ""))
        }

        // A recognizer grows until its fourth minute; then it is replaced by a new one, which grows to the same size.
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
            // If it were read as a whole, the longer file would take 29 MB more. The difference that is seen, 6 to 11 MB, is free
            // pages that the C library's heaps keep; the installed command does not use those heaps.
            #expect(many - few < 16 * 1024)
        }
    }
}
