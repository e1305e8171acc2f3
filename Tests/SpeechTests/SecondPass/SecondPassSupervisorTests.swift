import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Speech

@Suite("The supervisor of the second pass")
struct SecondPassSupervisorTests {
    /// What the scripted worker does with an utterance.
    private enum Order: Int16, CaseIterable {
        case answer, crash, freeze, nonsense, half, exit, refuse, twice, another, hangUp, memory, damagedModel, fuzz
    }

    private func sound(_ order: Order, count: Int = 160, chance: Int16 = 0) -> [Int16] {
        [order.rawValue, chance] + [Int16](repeating: 0, count: count - 2)
    }
    private static let answer = SecondPassOutcome.text(SecondPassText(text: "utterance of 160 samples"))

    @Test("returns each utterance's text, in order, through a pipe that holds less than one of them")
    func answers() async {
        let supervisor = SecondPassRig.scripted()
        let order = Mutex<[Int]>([])
        await withTaskGroup { group in
            for index in 1...5 {
                let (outcomes, sending) = AsyncStream.makeStream(of: SecondPassOutcome.self)
                supervisor.decode(sound(.answer, count: index * 300_000), timeout: nil) { outcome in
                    order.withLock { $0.append(index) }
                    sending.yield(outcome)
                }
                group.addTask {
                    let outcome = await outcomes.first { _ in true }
                    #expect(outcome == .text(SecondPassText(text: "utterance of \(index * 300_000) samples")))
                }
            }
        }
        #expect(order.withLock { $0 } == [1, 2, 3, 4, 5])
        #expect(supervisor.model?.family == "scripted")
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test(
        "loses one utterance when a worker fails, reports it once, and continues with another worker",
        arguments: [Int16(1), 3, 4, 5, 8, 9, 10])
    func failure(_ order: Int16) async {
        let clock = ManualTime()
        let reports = Reports()
        let supervisor = SecondPassRig.scripted(time: clock.time, reports: reports)
        #expect(await supervisor.decode(sound(Order(rawValue: order)!), timeout: .seconds(3)) == .failed(.stopped))
        #expect(await self.answered(supervisor, clock) == Self.answer)
        #expect(reports.all.count == 1 && reports.all[0].contains("second pass"), "\(reports.all)")
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    /// The outcome of an utterance that is requested after a worker has ended, while the clock advances.
    private func answered(_ supervisor: SecondPassSupervisor, _ clock: ManualTime) async -> SecondPassOutcome {
        let (outcomes, sending) = AsyncStream.makeStream(of: SecondPassOutcome.self)
        supervisor.decode(sound(.answer), timeout: nil) { sending.yield($0) }
        // The backoff begins when the process has ended, so the clock must advance. No other limit is near.
        let going = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(100))
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        defer { going.cancel() }
        return await outcomes.first { _ in true } ?? .failed(.cancelled)
    }

    @Test("gives up a hanging worker's utterance at the deadline, ends the worker, and continues with another")
    func hang() async throws {
        let clock = ManualTime()
        let supervisor = SecondPassRig.scripted(time: clock.time)
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == Self.answer)
        let frozen = try #require(SecondPassRig.children.first)
        let (outcomes, sending) = AsyncStream.makeStream(of: SecondPassOutcome.self)
        supervisor.decode(sound(.freeze), timeout: .seconds(3)) { sending.yield($0) }
        // When this returns, the supervisor's queue has handled the request.
        _ = supervisor.model
        clock.advance(by: .seconds(3))
        #expect(await outcomes.first { _ in true } == .failed(.late))
        clock.advance(by: SecondPassMachine.grace)
        #expect(await self.answered(supervisor, clock) == Self.answer)
        #expect(kill(frozen, 0) == -1 && errno == ESRCH, "nothing is left of it")
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("decodes an utterance once if it was begun ahead and is then requested with the same samples")
    func ahead() async {
        let supervisor = SecondPassRig.scripted([SecondPassWorker.option], model: "numbered")
        func sentence(_ number: Int) -> SecondPassOutcome {
            .text(SecondPassText(text: "Sentence \(number), of 160 samples."))
        }
        supervisor.decodeAhead(sound(.answer))
        #expect(await supervisor.decode(sound(.answer), timeout: .seconds(600)) == sentence(1))
        supervisor.decodeAhead(sound(.crash))
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == sentence(3), "others are not theirs")
        supervisor.decodeAhead(sound(.answer))
        supervisor.endDecodingAhead()
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == sentence(5))
        supervisor.decodeAhead(sound(.answer))
        // A text that is already there is returned at once.
        while supervisor.hasDecodedAhead == false { await Task.yield() }
        #expect(await supervisor.decode(sound(.answer), timeout: .zero) == sentence(6))
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == sentence(7), "and given once")
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test(
        "answers a request also when what was begun ahead ends the worker, freezes it, or makes it send nonsense",
        arguments: [Int16(1), 2, 3])
    func aheadFails(_ order: Int16) async {
        let clock = ManualTime()
        let supervisor = SecondPassRig.scripted(time: clock.time)
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == Self.answer)
        supervisor.decodeAhead(sound(Order(rawValue: order)!))
        if order == Order.freeze.rawValue {
            while !SecondPassRig.children.contains(where: SecondPassRig.isStopped) { await Task.yield() }
        }
        #expect(await self.answered(supervisor, clock) == Self.answer)
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("has no worker any more when the model is refused or the program is missing, and reports why")
    func unavailable() async {
        let reports = Reports()
        let refused = SecondPassRig.scripted(["refuse"], reports: reports)
        #expect(await refused.decode(sound(.answer), timeout: nil) == .failed(.unavailable))
        #expect(await refused.decode(sound(.answer), timeout: nil) == .failed(.unavailable))
        #expect(reports.all == ["there is no second pass: it does not work; the text is the first pass's"])
        await refused.closeAndWait()

        let clock = ManualTime()
        let missing = Reports()
        let supervisor = SecondPassSupervisor(
            setup: WorkerSetup(library: "", model: ""), program: "/nonexistent/utter", time: clock.time,
            report: missing.add)
        #expect(await self.answered(supervisor, clock) == .failed(.unavailable))
        #expect(missing.all.count == 1 && missing.all.allSatisfy { $0.contains("No such file") }, "\(missing.all)")
        await supervisor.closeAndWait()
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("ends waiting requests with an outcome when it is closed")
    func close() async {
        let supervisor = SecondPassRig.scripted()
        async let frozen = supervisor.decode(sound(.freeze), timeout: nil)
        _ = await supervisor.decode([], timeout: .zero)
        await supervisor.closeAndWait()
        #expect(await frozen == .failed(.cancelled))
        #expect(await supervisor.decode(sound(.answer), timeout: nil) == .failed(.cancelled))
        #expect(SecondPassRig.children.isEmpty)
    }

    @Test("has one outcome for every utterance, whatever its workers do, and leaves no process and no descriptor")
    func random() async {
        var generator = SplitMix64(for: "second-pass-faults")
        _ = await SecondPassRig.scripted().closeAndWait()
        let before = ProcessFigures.now.descriptors
        let count = Tier.count(15, long: 1_000, "UTTER_WORKER_FAULTS")
        // The clock runs thirty times as fast, so that the test need not wait for hanging workers.
        let system = SecondPassTime.system
        let fast = SecondPassTime(now: { system.now() * 30 }, wake: { time, body in system.wake(time / 30, body) })
        let model = FileManager.default.temporaryDirectory.path + "/model-\(UUID().uuidString)"
        defer { unlink(model) }
        var kinds: [String: Int] = [:]
        var done = 0
        while done < count {
            // Each session goes on until there is no worker any more, and begins with a good utterance.
            unlink(model)
            let supervisor = SecondPassRig.scripted(model: model, time: fast)
            #expect(await supervisor.decode(sound(.answer), timeout: nil) == Self.answer)
            var isOver = false
            while done < count, !isOver {
                let orders = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    Bool.random(using: &generator) ? Order.answer : Order.allCases.randomElement(using: &generator)!
                }
                let timeout = Duration.seconds(Double.random(in: 10...40, using: &generator))
                let chance = Int16.random(in: .min ... .max, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: supervisor.decodeAhead(sound(orders[0], chance: chance))
                case 1: supervisor.decodeAhead(sound(Order.allCases.randomElement(using: &generator)!))
                default: break
                }
                let outcomes = await withTaskGroup(of: (Order, SecondPassOutcome).self) { group in
                    for order in orders {
                        group.addTask {
                            (order, await supervisor.decode(self.sound(order, chance: chance), timeout: timeout))
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(outcomes.count == orders.count)
                for (order, outcome) in outcomes {
                    // Random bytes may be a valid message.
                    if case .text = outcome, order != .fuzz { #expect(outcome == Self.answer) }
                    kinds[outcome.kind, default: 0] += 1
                }
                isOver = outcomes.contains { $0.1 == .failed(.unavailable) }
                done += orders.count
            }
            await supervisor.closeAndWait()
        }
        print(
            "\(done) utterances: \(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))"
        )
        #expect(SecondPassRig.children.isEmpty, "no process is left")
        #expect(ProcessFigures.now.descriptors <= before, "no descriptor is left")
    }
}

extension SecondPassOutcome {
    var kind: String {
        switch self {
        case .text: "text"
        case .failed(let reason): "\(reason)"
        }
    }
}
