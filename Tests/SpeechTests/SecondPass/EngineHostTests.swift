import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

@Suite("The host of the engine")
struct EngineHostTests {
    /// What the scripted worker does with a request.
    private enum Order: Int16, CaseIterable {
        case answer, crash, freeze, nonsense, half, exit, refuse, twice, another, hangUp, memory, damagedModel, fuzz,
            hold
    }

    private func sound(_ order: Order, count: Int = 160, chance: Int16 = 0) -> [Int16] {
        [order.rawValue, chance] + [Int16](repeating: 0, count: count - 2)
    }

    private func answer(_ count: Int = 160) -> DecodingOutcome {
        .text(DecodedText(text: "utterance of \(count) samples"))
    }

    private let folder = TemporaryFolder()
    /// A path for the mark of the script's first worker.
    private var mark: String { folder.file("mark") }

    /// The outcome of a request that has a name.
    private struct Named: Equatable, Sendable {
        var name: String
        var outcome: DecodingOutcome
    }

    /// Waits until a worker has stopped itself, and returns it.
    private func stopped() async throws -> pid_t {
        try await Patience.wait(for: "a stopped worker") {
            SecondPassRig.children.contains(where: SecondPassRig.isStopped)
        }
        return SecondPassRig.children.first(where: SecondPassRig.isStopped)!
    }

    @Test("returns each request's text, in order, through a pipe that holds less than one of them")
    func answers() async throws {
        let host = SecondPassRig.scripted()
        let (outcomes, sending) = AsyncStream.makeStream(of: (Int, DecodingOutcome).self)
        for index in 1...5 {
            host.decode(sound(.answer, count: index * 300_000), .final) { sending.yield((index, $0)) }
        }
        var next = 1
        for await (index, outcome) in outcomes.prefix(5) {
            #expect(index == next && outcome == answer(index * 300_000))
            next += 1
        }
        try await host.start()
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test(
        "lets another worker decode what one fails with, and reports that once",
        arguments: [Int16(1), 3, 4, 5, 8, 9, 10])
    func failure(_ order: Int16) async {
        let reports = Collected<String>()
        let host = SecondPassRig.scripted(["once"], model: mark, time: ManualTime().time, reports: reports)
        #expect(await host.decode(sound(Order(rawValue: order)!)) == answer())
        #expect(access(mark, F_OK) == 0, "the first one has failed")
        #expect(reports.all.count == 1 && reports.all[0].contains("is decoded again"), "\(reports.all)")
        #expect(await host.decode(sound(.answer)) == answer())
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("kills a worker that hangs when its time is over, and lets another decode its request")
    func hang() async throws {
        let clock = ManualTime()
        let host = SecondPassRig.scripted(["once"], model: mark, time: clock.time)
        let (outcomes, sending) = AsyncStream.makeStream(of: DecodingOutcome.self)
        host.decode(sound(.freeze), .final) { sending.yield($0) }
        let frozen = try await stopped()
        clock.advance(by: .seconds(121))
        #expect(await outcomes.first { _ in true } == answer())
        #expect(kill(frozen, 0) == -1 && errno == ESRCH, "nothing is left of it")
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("cancels a guess that is withdrawn, and decodes what becomes final before other guesses")
    func withdrawnGuess() async throws {
        let host = SecondPassRig.scripted()
        let (outcomes, sending) = AsyncStream.makeStream(of: Named.self)
        let guess = host.decode(sound(.hold), .guess) { sending.yield(Named(name: "guess", outcome: $0)) }
        let worker = try await stopped()
        host.decode(sound(.answer, count: 7), .guess) { sending.yield(Named(name: "other guess", outcome: $0)) }
        host.decode(sound(.answer, count: 8), .final) { sending.yield(Named(name: "final", outcome: $0)) }
        host.withdraw(guess)
        var iterator = outcomes.makeAsyncIterator()
        // The worker has not answered.
        #expect(await iterator.next() == Named(name: "guess", outcome: .failed(.cancelled)))
        kill(worker, SIGCONT)
        #expect(await iterator.next() == Named(name: "final", outcome: answer(8)))
        #expect(await iterator.next() == Named(name: "other guess", outcome: answer(7)))
        #expect(SecondPassRig.children == [worker], "it is the same worker")
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("decodes with another worker while one is busy, and starts none that is not needed")
    func sideBySide() async throws {
        let host = SecondPassRig.scripted(width: 2)
        #expect(await host.decode(sound(.answer)) == answer())
        #expect(await host.decode(sound(.answer)) == answer())
        #expect(SecondPassRig.children.count == 1)
        async let held = host.decode(sound(.hold))
        let worker = try await stopped()
        for count in 2...5 { #expect(await host.decode(sound(.answer, count: count)) == answer(count)) }
        #expect(SecondPassRig.children.count == 2)
        kill(worker, SIGCONT)
        #expect(await held == answer())
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("may be asked for more from the outcome of a request")
    func nested() async {
        let host = SecondPassRig.scripted()
        let (outcomes, sending) = AsyncStream.makeStream(of: DecodingOutcome.self)
        host.decode(sound(.answer), .final) { _ in
            let other = host.decode(sound(.answer, count: 7), .guess) { sending.yield($0) }
            host.withdraw(other)
            host.decode(sound(.answer, count: 8), .final) { sending.yield($0) }
        }
        var found: [DecodingOutcome] = []
        for await outcome in outcomes.prefix(2) { found.append(outcome) }
        #expect(found == [.failed(.cancelled), answer(8)])
        await host.closeAndWait()
    }

    @Test("does not start, and tells everything that waits, when the model is refused or the program is missing")
    func unavailable() async {
        let reports = Collected<String>()
        let refused = SecondPassRig.scripted(["refuse"], reports: reports)
        let failure = WorkerFailure(kind: .model, sentence: "it does not work")
        #expect(await refused.decode(sound(.answer)) == .failed(.unavailable(failure)))
        #expect(await refused.decode(sound(.answer)) == .failed(.unavailable(failure)))
        await #expect { try await refused.start() } throws: {
            ($0 as? SpeechError)?.code == .modelLoadFailed && "\($0)" == "it does not work"
        }
        #expect(!refused.isUsable && reports.all.isEmpty, "the outcome says it")
        await refused.closeAndWait()

        let missing = EngineHost(
            setup: WorkerSetup(library: "", model: ""), program: "/nonexistent/utter", report: { Issue.record("\($0)") }
        )
        await #expect { try await missing.start() } throws: { "\($0)".contains("No such file or directory") }
        #expect(await missing.decode(sound(.answer)).kind == "unavailable")
        await missing.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("does not start for another stream after its workers were given up, though the model was loaded")
    func givenUpLater() async throws {
        let host = SecondPassRig.scripted(model: mark, time: ManualTime().time)
        try await host.start()
        #expect(await host.decode(sound(.damagedModel)).kind == "unavailable")
        await #expect(throws: SpeechError.self) { try await host.start() }
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("gives everything that waits an outcome when it is closed, and leaves no process, not even a hanging one")
    func closing() async throws {
        let host = SecondPassRig.scripted()
        let (outcomes, sending) = AsyncStream.makeStream(of: DecodingOutcome.self)
        for order in [Order.freeze, .answer] { host.decode(sound(order), .final) { sending.yield($0) } }
        _ = try await stopped()
        await host.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
        for await outcome in outcomes.prefix(2) { #expect(outcome == .failed(.cancelled)) }
        #expect(await host.decode(sound(.answer)) == .failed(.cancelled))
        await #expect(throws: SpeechError.self) { try await host.start() }

        // Before there is a process. The host lives until its worker's has ended.
        weak var early: EngineHost?
        do {
            let host = SecondPassRig.scripted()
            early = host
            host.close()
        }
        try await Patience.wait(for: "the worker's end") { early == nil }
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("has one outcome for every request, whatever its workers do, and leaves no process and no descriptor")
    func random() async throws {
        var generator = SplitMix64(for: "engine-faults")
        _ = await SecondPassRig.scripted().closeAndWait()
        let before = ProcessFigures.now.descriptors
        let count = Tier.count(15, long: 300, "UTTER_WORKER_FAULTS")
        var kinds: [String: Int] = [:]
        var done = 0
        while done < count {
            // Each session goes on until there is no worker any more, and begins with a good request.
            unlink(mark)
            let host = SecondPassRig.scripted(
                model: mark, width: .random(in: 1...3, using: &generator), time: .fast(30))
            #expect(await host.decode(sound(.answer)) == answer())
            var isOver = false
            while done < count, !isOver {
                let orders = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    let order =
                        Bool.random(using: &generator) ? .answer : Order.allCases.randomElement(using: &generator)!
                    let priority = [EngineSchedule.Priority.guess, .pause, .final].randomElement(using: &generator)!
                    return (order == .hold ? .freeze : order, priority)
                }
                let withdrawn = Int.random(in: 0..<8, using: &generator)
                let chance = Int16.random(in: .min ... .max, using: &generator)
                let (outcomes, sending) = AsyncStream.makeStream(of: (order: Order, outcome: DecodingOutcome).self)
                for (index, (order, priority)) in orders.enumerated() {
                    let identifier = host.decode(sound(order, chance: chance), priority) {
                        sending.yield((order: order, outcome: $0))
                    }
                    if index == withdrawn { host.withdraw(identifier) }
                }
                for await (order, outcome) in outcomes.prefix(orders.count) {
                    // Random bytes may be a valid message.
                    if case .text = outcome, order != .fuzz { #expect(outcome == answer()) }
                    if case .failed(.unavailable) = outcome { isOver = true }
                    kinds[outcome.kind, default: 0] += 1
                }
                done += orders.count
            }
            await host.closeAndWait()
        }
        print("\(done) requests: \(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
        #expect(SecondPassRig.children.isEmpty, "no process is left")
        try await Patience.wait(for: "the last descriptors to go") { ProcessFigures.now.descriptors <= before }
    }
}

@Suite("The hosts of a process")
struct EngineHostsTests {
    private func lease(_ model: String = "", isKept: Bool = false) -> EngineHosts.Lease {
        EngineHosts.lease(
            WorkerSetup(library: "", model: model), program: SecondPassRig.script, width: 1, isKept: isKept,
            report: { Issue.record("\($0)") })
    }

    private func children() async throws -> [pid_t] {
        try await Patience.wait(for: "a worker") { !SecondPassRig.children.isEmpty }
        return SecondPassRig.children
    }

    @Test("are shared by the streams with the same setup, and closed with the last of them")
    func shared() async throws {
        var first: EngineHosts.Lease? = lease()
        var second: EngineHosts.Lease? = lease()
        let host = try #require(first?.host)
        #expect(host === second?.host)
        async let one = host.decode([1, 2, 3])
        async let other = host.decode([1, 2, 3])
        let outcomes = await [one, other]
        #expect(outcomes[0].kind == "text" && outcomes[0] == outcomes[1])
        #expect(SecondPassRig.children.count == 1)
        do {
            let different = lease("other")
            #expect(different.host !== host)
        }
        first = nil
        #expect(await host.decode([4]).kind == "text", "the other stream goes on")
        second = nil
        #expect(first == nil && second == nil)
        #expect(await host.decode([5]) == .failed(.cancelled))
        try await Patience.wait(for: "the workers to go") { SecondPassRig.children.isEmpty }
        #expect(lease().host !== host, "another stream gets another")
        try await Patience.wait(for: "the worker to go") { SecondPassRig.children.isEmpty }
    }

    @Test("stay without a stream when they are to be kept, until they give up")
    func kept() async throws {
        let host = lease("kept", isKept: true).host
        #expect(await host.decode([1, 2, 3]).kind == "text")
        let worker = try await children()
        #expect(lease("kept").host === host)
        #expect(await host.decode([1, 2, 3]).kind == "text")
        #expect(SecondPassRig.children == worker)
        await host.closeAndWait()

        let folder = TemporaryFolder()
        let model = folder.put("damaged", in: "model")
        let refused = lease(model, isKept: true).host
        #expect(await refused.decode([1]).kind == "unavailable")
        // The model was installed again.
        unlink(model)
        let whole = lease(model, isKept: true).host
        #expect(await whole.decode([1]).kind == "text")
        await whole.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("have a worker for each core, as long as half of the memory holds their models")
    func width() {
        let model = 79_000_000
        #expect(EngineHosts.width(cores: 1, memory: 8 << 30, modelSize: model) == 1)
        #expect(EngineHosts.width(cores: 2, memory: 8 << 30, modelSize: model) == 2)
        #expect(EngineHosts.width(cores: 16, memory: 8 << 30, modelSize: model) == 16)
        #expect(EngineHosts.width(cores: 16, memory: 1 << 30, modelSize: model) == 2)
        #expect(EngineHosts.width(cores: 16, memory: 1 << 20, modelSize: model) == 1)
        #expect(EngineHosts.width(cores: 16, memory: nil, modelSize: model) == 1)
    }
}
