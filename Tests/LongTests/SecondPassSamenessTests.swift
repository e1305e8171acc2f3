import Foundation
import Speech
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct SecondPassSameness {
        private let sandbox = Sandbox()

        private static let recordings = ["weekdays-awb.wav", "commands-slt.wav", "date-rms.wav"].map(Recording.named)

        /// Starts processes that only compute.
        private func load(_ count: Int) throws -> [Program] {
            try (0..<count).map { _ in
                try Program(
                    ["sh", "-c", "while :; do :; done"], environment: sandbox.environment(), output: .nothing,
                    errors: .nothing)
            }
        }

        @Test(
            "A recording has the same final text however it is divided, and whatever else is transcribed and runs at the same time",
            .enabled(if: SecondPassSetup.model != nil, "libtranscribe or its model is not there: Scripts/setup"))
        func sameness() async throws {
            let environment = SecondPassSetup.environment
            let expected = try await sandbox.transcribe(
                ["-f", "jsonl"] + Self.recordings.map(\.path), environment: environment)
            let lines = Dictionary(grouping: expected.outputLines) { line in
                Self.recordings.first { line.contains($0.name) }!.name
            }
            #expect(lines.values.allSatisfy { $0[0].contains(#""pass":"second""#) }, "\(expected.output)")
            var generator = SplitMix64(for: "second-pass-cuts")
            for round in 0..<3 {
                let jobs = round % 3 + 1
                let recordings = Self.recordings.shuffled(using: &generator).prefix(
                    Int.random(in: 1...3, using: &generator))
                let atOnce = [2, 320, 3_333, 40_000, 1 << 20].randomElement(using: &generator)!
                let programs = try load(round)
                let piped = recordings[0]
                let command = ["-f", "jsonl", "-q", "-j", "\(jobs)", "-"] + recordings.dropFirst().map(\.path)
                let program = try sandbox.start(command, environment: environment, input: .pipe)
                try await program.write([UInt8](FileManager.default.contents(atPath: piped.path)!), atOnce: atOnce)
                let finished = try await program.finish()
                for program in programs {
                    program.signal(SIGKILL)
                    _ = try await program.finish()
                }
                let wanted = lines[piped.name]!.map {
                    $0.replacingOccurrences(of: "\"\(piped.path)\"", with: "\"stdin\"")
                }
                #expect(
                    finished.outputLines == wanted + recordings.dropFirst().flatMap { lines[$0.name]! },
                    "round \(round): \(jobs) jobs, \(atOnce) bytes at once, \(programs.count) programs beside it")
            }
        }

        @Test(
            "A file whose windows are decoded side by side has the same final text beside other files and programs",
            .enabled(if: SecondPassSetup.model != nil, "libtranscribe or its model is not there: Scripts/setup"))
        func windows() async throws {
            let environment = SecondPassSetup.environment
            // Three times half a minute are several windows; the other file is one.
            let long = sandbox.file("long.wav")
            try await sandbox.run("sox", Recording.named("memo.wav").path, long, "repeat", "2")
            let short = Self.recordings[0].path
            func lines(_ arguments: [String], of file: String) async throws -> [String] {
                let finished = try await sandbox.transcribe(
                    ["-q", "-f", "jsonl"] + arguments, environment: environment)
                #expect(finished.end == .exited(0) && finished.errors == "")
                return finished.outputLines.filter { $0.contains("\"\(file)\"") }
            }
            let expected = try await lines([long], of: long)
            #expect(expected.count { $0.contains(#""pass":"second""#) } > 6, "\(expected)")
            for round in 0..<2 {
                let programs = try load(round)
                let arguments = round == 0 ? ["-j", "2", short, long] : ["-j", "1", long]
                let found = try await lines(arguments, of: long)
                for program in programs {
                    program.signal(SIGKILL)
                    _ = try await program.finish()
                }
                #expect(
                    found == expected,
                    "round \(round): \(arguments.count - 1) files, \(programs.count) programs beside it")
            }
        }
    }
}
