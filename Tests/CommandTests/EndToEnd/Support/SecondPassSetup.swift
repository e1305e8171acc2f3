import Foundation
import Glibc
import Models
import Speech
import Testing
import TestSupport

/// The library and the model of the second pass: those of `Scripts/setup`, or those in the tests' own environment.
enum SecondPassSetup {
    static let model: SecondPassModel? = {
        let given = ProcessInfo.processInfo.environment["UTTER_SECOND_PASS"]
        let inCheckout = SecondPassFiles(
            libraryFolders: SecondPassFiles.standard.libraryFolders,
            store: ModelStore(folders: [Sandbox.root + "/Models"]))
        return (try? .installed(given)) ?? (try? .installed(in: inCheckout))
    }()

    /// The environment variables with which a command uses them.
    static var environment: [String: String] {
        ["UTTER_SECOND_PASS": model?.path ?? "", "UTTER_LIBTRANSCRIBE": model?.library ?? ""]
    }

    /// The text of `MemoTests.weekdays` by libvosk alone; `second` is that by the model that decides.
    static let first = "monday wednesday friday sunday"
    static let second = "Monday, Wednesday, Friday, Sunday."

    /// The words of a text in lower case. How a model writes a sentence's end depends on what was said around it.
    static func words(_ text: String) -> [String] { text.lowercased().split { !$0.isLetter }.map(String.init) }

    /// Whether a text is that of `MemoTests.weekdays`, said so often, as the model that decides writes it.
    static func isSaid(_ text: String, times count: Int = 1) -> Bool {
        words(text) == (0..<count).flatMap { _ in words(first) } && (count == 0 || text.hasPrefix("Monday"))
    }

    /// Waits until a command has a worker.
    static func worker(of command: pid_t) async throws -> SecondPassWorkerProcess {
        var worker: pid_t?
        try await Patience.wait(for: "a worker of the second pass") {
            worker = workers(of: command).first
            return worker != nil
        }
        return try SecondPassWorkerProcess(#require(worker))
    }

    /// The workers of a command that have loaded the library. If one were stopped any earlier, its parent would hang, or it would not
    /// know yet that it must end with the parent.
    static func workers(of command: pid_t) -> [pid_t] {
        ProcessTable.children(of: command).filter { process in
            (try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8))?.contains("libtranscribe") == true
        }
    }
}

/// The worker of a command, held by a descriptor, so that a later process with the same number is not mistaken for it.
final class SecondPassWorkerProcess: Sendable {
    let processID: pid_t
    private let descriptor: Int32

    init(_ processID: pid_t) throws {
        self.processID = processID
        descriptor = pidDescriptor(processID, 0)
        try #require(descriptor >= 0)
    }

    /// Stops the worker, so that it decodes nothing until `signal(SIGCONT)`.
    func stop() { signal(SIGSTOP) }
    func signal(_ number: Int32) { kill(processID, number) }

    /// Returns when the worker has ended.
    func expectEnd() async throws { try await onThread { [descriptor] in waitForEnd(descriptor) } }
}

extension Trait where Self == ConditionTrait {
    static var needsSecondPass: ConditionTrait {
        .enabled(if: SecondPassSetup.model != nil, "no library or model of a second pass")
    }
}
