import Foundation
import Glibc
import TestSupport
import Testing

/// What the capture thread must never do is shown twice: by the compiler, and by RealtimeSanitizer while it runs.
@Suite("The capture thread")
struct RealTimeTests {
    @Test(
        "can't allocate, lock or call functions that may: the compiler rejects that, and accepts the thread's own code",
        .long)
    func compilerRejects() async throws {
        let source = Toolchain.source("RealTimeCheck/planted.swift")
        let finished = try await Toolchain.compile(["-emit-sil", "-o", "/dev/null", source])
        let lines = try String(contentsOfFile: source, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let planted = lines.indices.filter { lines[$0].hasSuffix("// planted") }.map { $0 + 1 }
        let rejected = finished.errorLines.compactMap { line -> Int? in
            guard line.hasPrefix(source), line.contains(": error: ") else { return nil }
            return line.dropFirst(source.count + 1).split(separator: ":").first.flatMap { Int($0) }
        }
        #expect(planted.count == 8)
        #expect(Set(rejected) == Set(planted), "\(finished.errors)")
    }

    /// `UTTER_CALLBACKS` sets how many callbacks are run.
    @Test(
        "does nothing that could make it wait, in callbacks with all that can befall a device",
        .notSanitized("two do not go into one program"),
        .enabled(if: Toolchain.hasRealtimeSanitizer, "the toolchain has no RealtimeSanitizer"))
    func sanitized() async throws {
        let folder = TemporaryFolder()
        let check = folder.file("real-time-check")
        let compiled = try await Toolchain.compile(
            [Toolchain.source("RealTimeCheck/main.swift"), "-g", "-o", check] + Toolchain.objects() + [
                "-lstdc++", "-Xlinker", "--whole-archive", "-Xlinker", Toolchain.realtimeSanitizer,
                "-Xlinker", "--no-whole-archive",
            ])
        try #require(compiled.end == .exited(0), "\(compiled.errors)")

        func run(_ arguments: String...) async throws -> Program.Finished {
            let environment = ProcessInfo.processInfo.environment.merging(["RTSAN_OPTIONS": "print_stats_on_exit=1"]) {
                $1
            }
            return try await Program([check] + arguments, environment: environment).finish()
        }
        let count = "\(Tier.count(20_000, long: 1_000_000, "UTTER_CALLBACKS"))"
        let clean = try await run(count)
        print(clean.output)
        #expect(clean.end == .exited(0), "\(clean.errors)")
        #expect(clean.errors.contains("Total error count: 0"), "\(clean.errors)")
        let callbacks = clean.outputLines.compactMap { line -> Int? in
            line.contains(" callbacks, ") ? line.split(separator: " ").dropFirst(2).first.flatMap { Int($0) } : nil
        }
        #expect(callbacks.reduce(0, +) >= Int(count)!)
        #expect(clean.outputLines.last == "done")

        for (plant, function) in [("malloc", "malloc"), ("lock", "pthread_mutex_lock"), ("wait", "poll")] {
            let caught = try await run("1000", "--plant", plant)
            #expect(caught.end != .exited(0))
            #expect(
                caught.errors.contains(
                    "Intercepted call to real-time unsafe function `\(function)` in real-time context!"))
            #expect(caught.errors.contains("CaptureLoop"), "\(caught.errors)")
        }
    }
}
