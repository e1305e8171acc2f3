import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import Outbox

/// How many there are to be; `UTTER_KILLS` says it.
enum Kills {
    static let count = Tier.count(3, long: 15, "UTTER_KILLS")
    /// So many that nobody waits for them.
    static let areMany = count >= 1000
}

/// Real processes, killed by strace at random system calls.
@Suite("A process that is killed", .serialized)
struct KilledProcessTests {
    private let folder = TemporaryFolder()
    private let hooks: HookServer

    init() async throws {
        hooks = try await HookServer([
            HookServer.Cell(name: "hook", route: "https-proxy", moment: "random", answer: .key)
        ])
    }

    /// Built with the tests, it lies beside them.
    static let rig: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/OutboxRig"
    }()

    /// - Returns: its lines, and how it ended.
    private func run(_ arguments: [String]) async throws -> (lines: [String], end: BoundedProgram.End) {
        let limit = Duration.seconds(Kills.areMany ? 7200 : 120)
        let finished = await BoundedProgram(
            arguments[0], Array(arguments.dropFirst()),
            environment: ["UTTER_HOOK": String(hooks.port("hook")), "CURL_CA_BUNDLE": hooks.certificate],
            timeLimit: limit
        ).run()
        switch finished.end {
        case .notStarted, .stopped: throw Missing(program: arguments[0], end: finished.end)
        case .exited, .killed:
            let lines = String(decoding: finished.output, as: UTF8.self).split(separator: "\n").map(String.init)
            return (lines, finished.end)
        }
    }

    private struct Missing: Error {
        var program: String
        var end: BoundedProgram.End
    }

    /// What a killed session leaves, and what the next start makes of it.
    ///
    /// - Parameter mayAskUser: whether the disk may not have taken the note by which a web hook's answer is understood.
    /// - Returns: how many operations it had accepted.
    @discardableResult
    private func check(_ place: String, _ said: [String], _ what: String, mayAskUser: Bool = false) async throws -> Int
    {
        let (recovered, end) = try await run([Self.rig, "recover", place])
        #expect(end == .exited(0) && recovered.contains("aside 0"), "\(what): \(recovered)")
        let notes = (try? FileManager.default.contentsOfDirectory(atPath: place + "/notes")) ?? []
        let texts = notes.map { place + "/notes/" + $0 } + [place + "/effects"]
        let effects = texts.compactMap { FileManager.default.contents(atPath: $0) }.map {
            String(decoding: $0, as: UTF8.self)
        }
        .joined()
        let accepted = said.filter { $0.hasPrefix("accepted ") }
        for line in accepted {
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 3, "\(what): \(line)")
            let count = effects.components(separatedBy: words[2]).count - 1
            if words[1] == "unwanted" {
                let isLeft = recovered.contains("left " + words[2])
                if said.contains("cleared " + words[2]) { #expect(!isLeft, "\(what): it came back") }
                if !said.contains("clearing " + words[2]) { #expect(isLeft, "\(what): it was lost") }
                #expect(count == 0)
            } else {
                #expect(count == 1, "\(what): \(words[1]) had \(count) effects")
                let isLeft = recovered.contains("left " + words[2])
                #expect(!isLeft || mayAskUser && words[1] == "hook", "\(what): \(words[1]) is still there")
                let isWhole =
                    words[1] == "vault"
                    ? effects.contains("buy milk ^utter-" + words[2]) : effects.contains(words[2] + " buy milk\n")
                #expect(isWhole, "\(what): \(words[1]) was not whole")
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: place + "/outbox")
        let left = recovered.filter { $0.hasPrefix("left ") }.map { String($0.dropFirst(5)) + ".json" }
        #expect(Set(names).subtracting([".changes", ".drain"]) == Set(left), "\(what): litter")
        return accepted.count
    }

    private static let calls = [
        "openat", "close", "mkdirat", "write", "fsync", "flock", "linkat", "unlinkat", "renameat", "fallocate",
        "pread64",
    ]

    /// On one core the session has one thread for all its calls, so that their numbers don't depend on chance.
    private static let oneCore: [String] = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let cores = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") } ?? ""
        return ["taskset", "-c", cores.split { !$0.isNumber }.first.map(String.init) ?? "0"]
    }()

    private func strace(_ call: String, _ place: String, _ options: [String]) -> [String] {
        // The loader opens and closes many files; those of the queue and the notes count.
        let paths = ["openat", "close"].contains(call) ? ["-P", place + "/outbox", "-P", place + "/notes"] : []
        return ["strace", "-f", "-qq", "-e", "trace=\(call)"] + paths + options + Self.oneCore
    }

    private func makePlace(_ name: String) throws -> String {
        let place = folder.file(name)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        return place
    }

    /// How often a session makes a call.
    private func callCount(_ call: String, _ size: String) async throws -> Int {
        let place = try makePlace("counted-\(call)")
        let log = folder.file("log-\(call)")
        let (_, end) = try await run(strace(call, place, ["-o", log]) + [Self.rig, "session", place, size])
        #expect(end == .exited(0))
        // A line a call, with the thread's number before it.
        let lines = (folder.text(of: "log-\(call)") ?? "").split(separator: "\n").filter { $0.contains(call + "(") }
        let threads = Dictionary(grouping: lines) { $0.prefix { $0 != " " } }
        return try #require(threads.values.map(\.count).max())
    }

    /// What a killed session has given to a receiver, that still takes; and our receivers look and take in two steps.
    private func waitForReceivers(in place: String) async throws {
        func isThere(_ process: String) -> Bool {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == place
        }
        try await Patience.wait(for: "the receivers of \(place) have ended") {
            try !FileManager.default.contentsOfDirectory(atPath: "/proc").contains(where: isThere)
        }
    }

    private typealias Point = (call: String, number: Int)

    private func killing(_ point: Point, _ place: String) -> [String] {
        strace(point.call, place, ["-o", "/dev/null", "-e", "inject=\(point.call):signal=KILL:when=\(point.number)"])
    }

    /// - Parameter recovery: where the next start is killed as well, before one that is not.
    /// - Returns: whether it was killed, and how many operations it had accepted.
    private func killSession(at point: Point, recovery: Point? = nil, _ size: String) async throws -> (
        wasKilled: Bool, accepted: Int
    ) {
        let place = try makePlace("\(point.call)-\(point.number)")
        let (said, end) = try await run(killing(point, place) + [Self.rig, "session", place, size])
        if end != .exited(0) { try await waitForReceivers(in: place) }
        var what = "\(point)"
        if let recovery {
            _ = try await run(killing(recovery, place) + [Self.rig, "recover", place])
            try await waitForReceivers(in: place)
            what += ", then \(recovery)"
        }
        let accepted = try await check(place, said, what)
        try FileManager.default.removeItem(atPath: place)
        return (end != .exited(0), accepted)
    }

    @Test("at a random system call loses no operation that it accepted, and none has a second effect", .long)
    func random() async throws {
        var random = SplitMix64(for: "random kills")
        var points: [Point] = []
        for call in Self.calls {
            let count = try await callCount(call, "1")
            points += (1...count).map { (call, $0) }
        }
        var killed = 0
        var sessions = 0
        var accepted = 0
        while killed < Kills.count, sessions < 3 * Kills.count {
            let point = points.randomElement(using: &random)!
            let recovery = Bool.random(using: &random) ? points.randomElement(using: &random)! : nil
            let session = try await killSession(at: point, recovery: recovery, "1")
            if session.wasKilled { killed += 1 }
            accepted += session.accepted
            sessions += 1
            if sessions.isMultiple(of: 500) { print("random kills so far: \(killed) of \(sessions)") }
        }
        print("random kills: \(killed) of \(sessions) sessions were killed, at \(points.count) different calls")
        #expect(killed == Kills.count)
        // Killed before they accept anything, they could lose nothing.
        #expect(accepted > 0)
    }

    @Test(
        "by a failing disk, at each of these calls, also in the next start, refuses or accepts, and loses nothing",
        .notThreadSanitized("it has a file of its own, and the failure is in its calls"),
        arguments: Tier.every(2, of: ["EIO", "ENOSPC"]))
    func failing(code: String) async throws {
        var accepted = 0
        for call in ["linkat", "renameat", "fsync", "write"] {
            for when in Tier.every(2, of: ["1", "3", "2+"]) {
                let place = try makePlace("\(code)-\(call)-\(when)")
                let wrapper = injecting("error=\(code):when=\(when)", at: call)
                let (said, _) = try await run(wrapper + [Self.rig, "session", place])
                _ = try await run(wrapper + [Self.rig, "recover", place])
                accepted += try await check(place, said, "\(code) \(call) \(when)", mayAskUser: true)
            }
        }
        #expect(accepted > 0)
    }

    @Test("in a network of its own notices that the network comes back", .needsNamespace("-rn"))
    func network() async throws {
        let script = "'\(Self.rig)' network | { read line; echo $line; ip link set lo up; read line; echo $line; }"
        let finished = await BoundedProgram(
            "unshare", ["-rn", "sh", "-c", script], timeLimit: .seconds(Patience.seconds)
        ).run()
        let output = String(decoding: finished.output, as: UTF8.self)
        #expect(output == "ready\nback\n", "\(String(decoding: finished.errors, as: UTF8.self))")
    }
}
