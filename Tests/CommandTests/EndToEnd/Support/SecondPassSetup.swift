import Foundation
import Glibc
import Models
import Speech
import Testing
import TestSupport

/// The library and the model of the second pass: those of `Scripts/setup`, or what the tests' own environment names.
enum SecondPassSetup {
    static let model: SecondPassModel? = {
        let given = ProcessInfo.processInfo.environment["UTTER_SECOND_PASS"]
        let inCheckout = SecondPassFiles(
            libraryFolders: SecondPassFiles.standard.libraryFolders, store: ModelStore(folders: [Sandbox.root + "/Models"]))
        return (try? .installed(given)) ?? (try? .installed(in: inCheckout))
    }()

    /// What a command needs in its environment to have it.
    static var environment: [String: String] { ["UTTER_SECOND_PASS": model?.path ?? "", "UTTER_LIBTRANSCRIBE": model?.library ?? ""] }

    /// What is said in `MemoTests.weekdays`, as each pass has it.
    static let first = "monday wednesday friday sunday"
    static let second = "Monday, Wednesday, Friday, Sunday"

    /// Waits until a command has a worker.
    static func worker(of command: pid_t) async throws -> SecondPassWorkerProcess {
        var worker: pid_t?
        try await Patience.wait(for: "a worker of the second pass") {
            // Stopped any earlier, it would hold up whoever starts it, or not know that it is to end with that.
            worker = children(of: command).first { process in
                (try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8))?.contains("libtranscribe") == true
            }
            return worker != nil
        }
        return try SecondPassWorkerProcess(#require(worker))
    }

    static func children(of process: pid_t) -> [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            let line = (try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)) ?? ""
            return line.split(separator: " ").compactMap { pid_t($0) }
        }
    }
}

/// The worker of a command. It is known for good, whatever process has its number later.
final class SecondPassWorkerProcess: Sendable {
    let processID: pid_t
    private let descriptor: Int32

    init(_ processID: pid_t) throws {
        self.processID = processID
        descriptor = pidDescriptor(processID, 0)
        try #require(descriptor >= 0)
    }

    /// Nothing that is decoded comes until `signal(SIGCONT)`.
    func stop() { signal(SIGSTOP) }
    func signal(_ number: Int32) { kill(processID, number) }

    /// Returns when it has gone.
    func expectEnd() async throws { try await onThread { [descriptor] in waitForEnd(descriptor) } }
}

extension Trait where Self == ConditionTrait {
    static var needsSecondPass: ConditionTrait { .enabled(if: SecondPassSetup.model != nil, "no library or model of a second pass") }
}
