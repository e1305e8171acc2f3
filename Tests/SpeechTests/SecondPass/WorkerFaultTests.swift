import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

@Suite("A fault of a real worker")
struct WorkerFaultTests {
    private let folder = TemporaryFolder()
    private enum Fault: CaseIterable {
        case killed, stopped, shortOfMemory, modelCut
    }

    /// The number of rounds. The first ones have each fault once.
    private static let rounds = Tier.count(Fault.allCases.count, long: 6, "UTTER_REAL_WORKER_FAULTS")

    @Test(
        "costs no text where another worker can load the model, and leaves no process and no descriptor", .long,
        .secondPass)
    func faults() async throws {
        var generator = SplitMix64(for: "real-worker-faults")
        var setup = try #require(SecondPassRig.setup)
        // The confidence is another with another number of threads, which would depend on what else runs.
        setup.threads = 1
        let whole = setup.model
        setup.model = folder.file("model.gguf")
        let samples = Array(try Fixture.named("weekdays-awb").samples())
        var expected: DecodingOutcome?
        var before = 0
        var outcomesOf: [Fault: [String: Int]] = [:]
        for round in 0..<Self.rounds {
            try? FileManager.default.removeItem(atPath: setup.model)
            try FileManager.default.copyItem(atPath: whole, toPath: setup.model)
            let reports = Collected<String>()
            // So fast that a stopped worker is killed soon, and one that decodes is not.
            let host = SecondPassRig.real(setup, time: .fast(4), reports: reports)
            let good = await host.decode(samples)
            #expect(good == expected ?? good, "the same samples, the same text")
            expected = good
            let fault =
                round < Fault.allCases.count ? Fault.allCases[round] : Fault.allCases.randomElement(using: &generator)!
            let worker = try #require(SecondPassRig.children.first)
            let delay = Duration.milliseconds(Int.random(in: 0...800, using: &generator))
            let length = off_t.random(in: 0...2_000_000, using: &generator)
            async let first = host.decode(samples)
            async let second = host.decode(samples)
            // The fault comes at a random moment of the worker's work.
            try await Task.sleep(for: delay)
            switch fault {
            case .killed: kill(worker, SIGKILL)
            case .stopped: kill(worker, SIGSTOP)
            case .shortOfMemory: try await Self.limitMemory(of: worker)
            case .modelCut: #expect(truncate(setup.model, length) == 0)
            }
            for outcome in await [first, second] {
                let mayFail = fault == .shortOfMemory || fault == .modelCut
                if outcome.kind == "text" || !mayFail { #expect(outcome == expected, "\(fault) after \(delay)") }
                outcomesOf[fault, default: [:]][outcome.kind, default: 0] += 1
            }
            await host.closeAndWait()
            #expect(reports.all.count <= 1, "\(reports.all)")
            #expect(SecondPassRig.children.isEmpty, "no process is left")
            // The first worker leaves descriptors of Dispatch.
            if round == 0 { before = ProcessFigures.now.descriptors }
            #expect(ProcessFigures.now.descriptors <= before, "no descriptor is left")
        }
        for (fault, outcomes) in outcomesOf {
            print("\(fault): \(outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
        }
    }

    /// Sets the limit of a process's memory to what it has, so that its next allocation fails.
    private static func limitMemory(of process: pid_t) async throws {
        let program = try Program(
            ["prlimit", "--pid", "\(process)", "--as=1000000"], environment: ProcessInfo.processInfo.environment)
        _ = try await program.finish()
    }
}
