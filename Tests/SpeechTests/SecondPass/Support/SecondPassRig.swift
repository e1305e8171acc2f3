import Foundation
import Synchronization
import TestSupport

@testable import Models
@testable import Speech

/// The programs, models and supervisors for the tests of the second pass.
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
        return WorkerSetup(library: library, model: model, language: "en")
    }()
    static let isThere = setup != nil

    /// A supervisor whose worker is the script.
    static func scripted(
        _ arguments: [String] = [], model: String = "", time: SecondPassTime = .system, reports: Reports = Reports()
    ) -> SecondPassSupervisor {
        SecondPassSupervisor(
            setup: WorkerSetup(library: "", model: model), program: "python3", arguments: [script] + arguments,
            time: time,
            report: reports.add)
    }

    /// Whether a process was stopped, as by SIGSTOP. proc_pid_stat(5)
    static func isStopped(_ process: pid_t) -> Bool {
        let line = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return line.drop { $0 != ")" }.dropFirst(2).first == "T"
    }

    /// The worker that this process has started, once it runs. If it were stopped any earlier, the process that starts it would hang.
    static func worker() async throws -> pid_t {
        func isRunning(_ process: pid_t) -> Bool {
            (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?.contains(script) == true
        }
        try await Patience.wait(for: "a worker") { children.contains(where: isRunning) }
        return children.first(where: isRunning)!
    }

    /// The child processes of this one, including zombies.
    static var children: [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.flatMap { task in
            let line = (try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)) ?? ""
            return line.split(separator: " ").compactMap { pid_t($0) }
        }
    }
}

/// Collects the reports of a supervisor.
final class Reports: Sendable {
    private let sentences = Mutex<[String]>([])
    var all: [String] { sentences.withLock { $0 } }
    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}

/// A clock that advances only when a test advances it.
final class ManualTime: Sendable {
    private struct State {
        var now = Duration.zero
        var wakes: [(time: Duration, body: @Sendable () -> Void)] = []
    }

    private let state = Mutex(State())

    var time: SecondPassTime {
        SecondPassTime(
            now: { [self] in state.withLock { $0.now } },
            wake: { [self] time, body in
                let isDue = state.withLock { state in
                    if time <= state.now { return true }
                    state.wakes.append((time, body))
                    return false
                }
                if isDue { body() }
            })
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            defer { state.wakes.removeAll { $0.time <= state.now } }
            return state.wakes.filter { $0.time <= state.now }
        }
        for wake in due { wake.body() }
    }
}
