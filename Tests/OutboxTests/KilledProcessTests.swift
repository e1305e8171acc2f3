import Foundation
import TestSupport
import Testing

@testable import Outbox

/// Real processes, killed by strace at system calls. `UTTER_KILLS` says how many at random ones.
@Suite("A process that is killed", .serialized, .timeLimit(.minutes(30)))
struct KilledProcessTests {
    private static let killCount = ProcessInfo.processInfo.environment["UTTER_KILLS"].flatMap { Int($0) } ?? 15
    private let folder = TemporaryFolder()

    /// Built with the tests, it lies beside them.
    private static let rig: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/OutboxRig"
    }()

    /// - Returns: its lines, and whether it came to its end.
    private func run(_ arguments: [String]) async throws -> (lines: [String], isWhole: Bool) {
        let finished = await Program(
            name: arguments[0], arguments: Array(arguments.dropFirst()), input: [], timeLimit: .seconds(120)
        ).run()
        if case .notStarted(let code) = finished.end { throw Missing(program: arguments[0], code: code) }
        let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n").map(String.init)
        return (lines, finished.end == .exited(0))
    }

    private struct Missing: Error {
        var program: String
        var code: Int32
    }

    /// What a killed session leaves, and what the next start makes of it.
    private func check(_ place: String, _ said: [String], _ what: String) async throws {
        let (recovered, isWhole) = try await run([Self.rig, "recover", place])
        #expect(isWhole && recovered.contains("aside 0"), "\(what): \(recovered)")
        let notes = (try? FileManager.default.contentsOfDirectory(atPath: place + "/notes")) ?? []
        let texts = notes.map { place + "/notes/" + $0 } + [place + "/effects"]
        let effects = texts.compactMap { FileManager.default.contents(atPath: $0) }.map { String(decoding: $0, as: UTF8.self) }
            .joined()
        for line in said where line.hasPrefix("accepted ") {
            let words = line.split(separator: " ").map(String.init)
            let count = effects.components(separatedBy: words[2]).count - 1
            if words[1] == "unwanted" {
                let isLeft = recovered.contains("left " + words[2])
                if said.contains("cleared " + words[2]) { #expect(!isLeft, "\(what): it came back") }
                if !said.contains("clearing " + words[2]) { #expect(isLeft, "\(what): it was lost") }
                #expect(count == 0)
            } else {
                #expect(count == 1, "\(what): \(words[1]) had \(count) effects")
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place + "/outbox")
        let left = recovered.filter { $0.hasPrefix("left ") }.map { String($0.dropFirst(5)) + ".json" }
        #expect(Set(names).subtracting([".changes", ".drain"]) == Set(left), "\(what): litter")
    }

    private static let calls = ["openat", "mkdirat", "write", "fsync", "flock", "linkat", "unlinkat", "renameat", "fallocate", "pread64", "close"]

    @Test("at a random system call loses nothing that it had accepted, and nothing has a second effect")
    func random() async throws {
        var random = SplitMix64(for: "random kills")
        var killed = 0
        for number in 0..<Self.killCount {
            let place = folder.file("random-\(number)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let call = Self.calls.randomElement(using: &random)!
            // The loader opens, reads and closes many files first.
            let range = call == "openat" || call == "close" ? 30...80 : 1...8
            let when = Int.random(in: range, using: &random)
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(when)"]
            let (said, isWhole) = try await run(strace + [Self.rig, "session", place])
            if !isWhole { killed += 1 }
            try await check(place, said, "\(call) \(when)")
            try FileManager.default.removeItem(atPath: place)
        }
        print("random kills: \(killed) of \(Self.killCount) sessions were killed")
        // That the kills come at all.
        #expect(killed * 10 > Self.killCount)
    }

    @Test("before every link, rename and removal of it loses nothing either", arguments: ["linkat", "renameat", "unlinkat"])
    func every(call: String) async throws {
        var number = 1
        while true {
            let place = folder.file("\(call)-\(number)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(number)"]
            let (said, isWhole) = try await run(strace + [Self.rig, "session", place])
            try await check(place, said, "\(call) \(number)")
            // Threads count their calls apart, so not every number kills.
            if isWhole { break }
            number += 1
        }
        #expect(number > 1)
    }

    @Test("by a failing disk, at each of these calls, refuses or accepts, and loses nothing", arguments: ["EIO", "ENOSPC"])
    func failing(code: String) async throws {
        for call in ["linkat", "renameat", "fsync", "write"] {
            for when in ["1", "3", "2+"] {
                let place = folder.file("\(code)-\(call)-\(when)")
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
                let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):error=\(code):when=\(when)"]
                let (said, _) = try await run(strace + [Self.rig, "session", place])
                try await check(place, said, "\(code) \(call) \(when)")
            }
        }
    }

    @Test("in a network of its own hears that the network comes back")
    func network() async throws {
        let script = "'\(Self.rig)' network | { read line; echo $line; ip link set lo up; read line; echo $line; }"
        let finished = await Program(
            name: "unshare", arguments: ["-rn", "sh", "-c", script], input: [], timeLimit: .seconds(20)
        ).run()
        let output = String(decoding: finished.output, as: UTF8.self)
        // Some machines let nobody make a network.
        if finished.end == .exited(1), output.isEmpty { return }
        #expect(output == "ready\nback\n", "\(String(decoding: finished.errors, as: UTF8.self))")
    }
}
