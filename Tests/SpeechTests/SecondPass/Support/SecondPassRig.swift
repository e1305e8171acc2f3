import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Models
@testable import Speech

/// The programs, models and hosts for the tests of the second pass.
enum SecondPassRig {
    /// The program that was built with the tests.
    static let program: String = {
        if let path = ProcessInfo.processInfo.environment["UTTER_BINARY"], !path.isEmpty { return path }
        let tests = try! FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/utter"
    }()

    static let script = Fixture.repository + "/Tests/SpeechTests/SecondPass/Support/scripted-worker.py"

    /// The library and the model of `Scripts/setup`, or those in `UTTER_LIBTRANSCRIBE` and `UTTER_SECOND_PASS`; nil when one is missing.
    static let setup: WorkerSetup? = {
        let files = SecondPassFiles.standard
        let given = ProcessInfo.processInfo.environment["UTTER_SECOND_PASS"].flatMap { try? files.model($0) }
        let inCheckout = ModelStore(folders: [Fixture.repository + "/Models"])
        let standard = [files, SecondPassFiles(libraryFolders: [], store: inCheckout)].lazy.compactMap {
            $0.model(forLanguage: "en")
        }.first
        guard let library = files.library, let model = given ?? standard?.file.path else { return nil }
        return WorkerSetup(library: library, model: model, languages: ["en"])
    }()
    static let isThere = setup != nil

    /// A host whose workers are the script.
    static func scripted(
        _ arguments: [String] = [], model: String = "", width: Int = 1, time: HostTime = .system,
        reports: Collected<String> = Collected()
    ) -> EngineHost {
        EngineHost(
            setup: WorkerSetup(library: "", model: model), width: width, program: "python3",
            // Without what Python reads before a script, for thousands of workers are started.
            arguments: ["-I", "-S", script] + arguments, time: time, report: reports.add)
    }

    static func real(
        _ setup: WorkerSetup, width: Int = 1, time: HostTime = .system, reports: Collected<String> = Collected()
    ) -> EngineHost {
        EngineHost(setup: setup, width: width, program: program, time: time, report: reports.add)
    }

    /// Whether a process was stopped, as by SIGSTOP.
    static func isStopped(_ process: pid_t) -> Bool { ProcessTable.state(of: process) == "T" }

    /// The arguments of a process; empty if it has ended. proc_pid_cmdline(5)
    static func arguments(of process: pid_t) -> [String] {
        let line = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline"))) ?? Data()
        return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The child processes of this one, including zombies.
    static var children: [pid_t] { ProcessTable.children() }
}

/// A clock that advances only when a test advances it, and by itself through waits as short as those before another worker.
final class ManualTime: Sendable {
    private struct State {
        var now = Duration.zero
        var lastWake = 0
        var wakes: [(number: Int, time: Duration, body: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())
    /// The longest wait that passes by itself.
    private let jump: Duration

    init(jumpingOver jump: Duration = .seconds(2)) { self.jump = jump }

    var time: HostTime {
        HostTime(
            now: { [self] in state.withLock { $0.now } },
            wake: { [self] time, body in
                let (number, isNear) = state.withLock { state in
                    state.lastWake += 1
                    state.wakes.append((state.lastWake, time, body))
                    return (state.lastWake, time <= state.now + jump)
                }
                if isNear { advance(to: time) }
                return { [self] in state.withLock { $0.wakes.removeAll { $0.number == number } } }
            })
    }

    func advance(by duration: Duration) { advance(to: state.withLock { $0.now } + duration) }

    private func advance(to time: Duration) {
        let due = state.withLock { state in
            state.now = max(state.now, time)
            defer { state.wakes.removeAll { $0.time <= state.now } }
            return state.wakes.filter { $0.time <= state.now }
        }
        for wake in due { wake.body() }
    }
}

extension HostTime {
    /// The system's clock, but so many times as fast, so that a test need not wait for what hangs.
    static func fast(_ factor: Int) -> HostTime {
        let system = HostTime.system
        return HostTime(
            now: { system.now() * factor }, wake: { time, body in system.wake(time / factor, body) })
    }
}

extension EngineHost {
    func decode(_ samples: [Int16]) async -> DecodingOutcome {
        await withCheckedContinuation { continuation in
            decode(samples, .final) { continuation.resume(returning: $0) }
        }
    }

    /// Kills the workers, and waits until no process is left. One that is being started has no process yet.
    func closeAndWait() async {
        close()
        await #expect(throws: Never.self) {
            try await Patience.wait(for: "the workers to go") { !hasWorkers && SecondPassRig.children.isEmpty }
        }
    }
}

extension DecodingOutcome {
    /// What it is, in a word.
    var kind: String {
        switch self {
        case .text: "text"
        case .failed(.cancelled): "cancelled"
        case .failed(.refused): "refused"
        case .failed(.stopped): "stopped"
        case .failed(.unavailable): "unavailable"
        }
    }
}
