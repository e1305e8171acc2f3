import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Speech

@Suite("The pool of workers for files")
struct SecondPassPoolTests {
    private func pool(_ width: Int, _ arguments: [String] = []) -> SecondPassPool {
        pool(width) { _ in arguments }
    }

    /// A pool whose workers have arguments of their own.
    ///
    /// - Parameters:
    ///   - refusals: receives the reports of the workers that were given up, after the pool.
    ///   - arguments: returns the arguments of the worker of that number; the first is 1.
    private func pool(
        _ width: Int, refusals: Reports = Reports(), arguments: @escaping @Sendable (_ number: Int) -> [String]
    ) -> SecondPassPool {
        let startCount = Mutex(0)
        return SecondPassPool(width: width) { report, reportGivenUp in
            let number = startCount.withLock { count in
                count += 1
                return count
            }
            return SecondPassSupervisor(
                setup: WorkerSetup(library: "", model: ""), program: "python3",
                arguments: [SecondPassRig.script] + arguments(number), report: report
            ) { sentence in
                reportGivenUp(sentence)
                refusals.add(sentence)
            }
        }
    }

    private func sound(_ order: Int16, count: Int = 160) -> [Int16] {
        [order] + [Int16](repeating: 0, count: count - 1)
    }
    private func answer(_ count: Int = 160) -> SecondPassOutcome {
        .text(SecondPassText(text: "utterance of \(count) samples"))
    }

    @Test("decodes with another worker while one is busy, and starts none that is not needed")
    func sideBySide() async {
        let pool = pool(2)
        let client = pool.join { Issue.record("\($0)") }
        #expect(client.width == 2)
        #expect(await client.decode(sound(0)) == answer())
        #expect(await client.decode(sound(0)) == answer())
        #expect(SecondPassRig.children.count == 1)
        // The worker stops itself with SIGSTOP, and answers when it is continued.
        async let held = client.decode(sound(13))
        while !SecondPassRig.children.contains(where: SecondPassRig.isStopped) { await Task.yield() }
        for count in 1...5 { #expect(await client.decode(sound(0, count: count)) == answer(count)) }
        #expect(SecondPassRig.children.count == 2)
        for child in SecondPassRig.children { kill(child, SIGCONT) }
        #expect(await held == answer())
    }

    @Test("starts no threads beyond its width: two decodings with two threads each wait for each other")
    func threads() async {
        let startCount = Mutex(0)
        let pool = pool(3) { number in
            startCount.withLock { $0 = number }
            return []
        }
        let client = pool.join { Issue.record("\($0)") }
        let (outcomes, sending) = AsyncStream.makeStream(of: SecondPassOutcome.self)
        client.decode(sound(13), hasTwoThreads: true, timeout: nil) { sending.yield($0) }
        client.decode(sound(0, count: 7), hasTwoThreads: true, timeout: nil) { sending.yield($0) }
        #expect(startCount.withLock(\.self) == 1, "one thread is free, and the second decoding needs two")
        try? await Patience.wait(for: "a stopped worker") {
            SecondPassRig.children.contains(where: SecondPassRig.isStopped)
        }
        for child in SecondPassRig.children { kill(child, SIGCONT) }
        var found: [SecondPassOutcome] = []
        for await outcome in outcomes.prefix(2) { found.append(outcome) }
        #expect(found == [answer(), answer(7)])
        client.decode(sound(13), timeout: nil) { sending.yield($0) }
        client.decode(sound(0), hasTwoThreads: true, timeout: nil) { sending.yield($0) }
        #expect(startCount.withLock(\.self) == 2, "two threads are free")
        try? await Patience.wait(for: "a stopped worker") {
            SecondPassRig.children.contains(where: SecondPassRig.isStopped)
        }
        for child in SecondPassRig.children { kill(child, SIGCONT) }
        for await _ in outcomes.prefix(2) {}
    }

    @Test("reports a worker's earlier failure to a new client, once")
    func failedBefore() async throws {
        let failures = Reports()
        let pool = SecondPassPool(width: 1) { report, reportGivenUp in
            SecondPassSupervisor(
                setup: WorkerSetup(library: "", model: ""), program: "/nonexistent/utter", report: report
            ) { sentence in
                reportGivenUp(sentence)
                failures.add(sentence)
            }
        }
        try await Patience.wait(for: "the worker's failure") { !failures.all.isEmpty }
        let reports = Reports()
        let client = pool.join(reports.add)
        #expect(reports.all == failures.all)
        #expect(await client.decode(sound(0)) == .failed(.unavailable))
        #expect(reports.all.count == 1)
    }

    @Test("is shared by clients with the same setup, and withdraws the requests of a client that closes")
    func shared() async {
        let setup = WorkerSetup(library: "", model: "shared")
        let pool = SecondPassPool.shared(setup, program: SecondPassRig.script, isKept: false)
        #expect(pool === SecondPassPool.shared(setup, program: SecondPassRig.script, isKept: false))
        var other = setup
        other.language = "de"
        #expect(pool !== SecondPassPool.shared(other, program: SecondPassRig.script, isKept: false))

        let single = self.pool(1)
        let (first, second) = (single.join { _ in }, single.join { _ in })
        async let held = first.decode(sound(13))
        while !SecondPassRig.children.contains(where: SecondPassRig.isStopped) { await Task.yield() }
        let outcomes = Mutex<[SecondPassOutcome]>([])
        first.decode(sound(0), timeout: nil) { outcome in outcomes.withLock { $0.append(outcome) } }
        async let wanted = second.decode(sound(0, count: 7))
        first.close()
        #expect(outcomes.withLock { $0 } == [.failed(.cancelled)])
        for child in SecondPassRig.children { kill(child, SIGCONT) }
        #expect(await held == answer())
        #expect(await wanted == answer(7))
        #expect(outcomes.withLock(\.count) == 1, "it is not decoded")
    }

    @Test("returns each utterance's own outcome, whatever the workers do")
    func faults() async {
        var generator = SplitMix64(for: "pool-faults")
        let orders = (0..<Tier.count(12, long: 200)).map { _ in
            [Int16(0), 0, 0, 1, 5, 6].randomElement(using: &generator)!
        }
        let pool = pool(3)
        let clients = (0..<3).map { _ in pool.join { _ in } }
        await withTaskGroup { group in
            for (index, order) in orders.enumerated() {
                group.addTask {
                    let outcome = await clients[index % 3].decode(self.sound(order, count: 100 + index))
                    switch order {
                    case 0: #expect(outcome == self.answer(100 + index) || outcome == .failed(.unavailable))
                    case 6: #expect(outcome == .failed(.refused(.repetition)) || outcome == .failed(.unavailable))
                    default: #expect(outcome == .failed(.stopped) || outcome == .failed(.unavailable))
                    }
                }
            }
        }
    }

    @Test("reports a refused model once to each client, also to later ones")
    func refusal() async {
        let pool = pool(2, ["refuse"])
        let (early, late) = (Reports(), Reports())
        let client = pool.join(early.add)
        #expect(await client.decode(sound(0)) == .failed(.unavailable))
        #expect(await client.decode(sound(0)) == .failed(.unavailable))
        #expect(early.all == ["there is no second pass: it does not work; the text is the first pass's"])
        let second = pool.join(late.add)
        #expect(late.all == early.all)
        #expect(await second.decode(sound(0)) == .failed(.unavailable))
        #expect(late.all.count == 1)
    }

    @Test("does not report that the first worker was given up if the second decodes its request")
    func firstRefusal() async {
        let startCount = Mutex(0)
        let pool = pool(2) { number in
            startCount.withLock { $0 = number }
            return number == 1 ? ["refuse"] : []
        }
        let client = pool.join { Issue.record("\($0)") }
        #expect(await client.decode(sound(0)) == answer())
        #expect(startCount.withLock(\.self) == 2)
    }

    @Test("does not report a worker that was given up while another decodes everything")
    func oneRefusal() async throws {
        let refusals = Reports()
        let pool = pool(2, refusals: refusals) { $0 == 1 ? [] : ["refuse"] }
        let client = pool.join { Issue.record("\($0)") }
        // The first worker is busy, so that the second one has to start.
        async let held = client.decode(sound(13))
        try await Patience.wait(for: "a stopped worker") {
            SecondPassRig.children.contains(where: SecondPassRig.isStopped)
        }
        async let second = client.decode(sound(0, count: 7))
        try await Patience.wait(for: "the refusal") { !refusals.all.isEmpty }
        for child in SecondPassRig.children { kill(child, SIGCONT) }
        #expect(await held == answer())
        #expect(await second == answer(7))
    }

    @Test("decodes nothing for a client that has closed")
    func closedClient() async {
        let client = pool(1).join { Issue.record("\($0)") }
        client.close()
        #expect(await client.decode(sound(0)) == .failed(.cancelled))
    }

    @Test("has a worker for each core, as long as half of the memory holds their models")
    func width() {
        let model = 79_000_000
        #expect(SecondPassPool.width(cores: 1, memory: 8 << 30, modelSize: model) == 1)
        #expect(SecondPassPool.width(cores: 2, memory: 8 << 30, modelSize: model) == 2)
        #expect(SecondPassPool.width(cores: 16, memory: 8 << 30, modelSize: model) == 16)
        #expect(SecondPassPool.width(cores: 16, memory: 1 << 30, modelSize: model) == 2)
        #expect(SecondPassPool.width(cores: 16, memory: 1 << 20, modelSize: model) == 1)
        #expect(SecondPassPool.width(cores: 16, memory: nil, modelSize: model) == 1)
    }
}

extension SecondPassPool.Client {
    fileprivate func decode(_ samples: [Int16]) async -> SecondPassOutcome {
        await withCheckedContinuation { continuation in
            decode(samples, timeout: nil) { continuation.resume(returning: $0) }
        }
    }
}
