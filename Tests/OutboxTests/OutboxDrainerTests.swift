import FileFaults
import Foundation
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Outbox

@Suite("A drainer")
struct OutboxDrainerTests {
    private let folder = TemporaryFolder()
    private let clock = FakeClock()
    /// What the drainers of the test have told.
    private let events = Awaited<[OutboxEvent]>([])

    private func store(calls: FileCalls = .system) -> OutboxStore {
        OutboxStore(folder: folder.path + "/outbox", calls: calls)
    }

    private func drainer(_ handlers: [String: any OutboxHandler], calls: FileCalls = .system) -> OutboxDrainer {
        OutboxDrainer(
            store: store(calls: calls), handlers: handlers, clock: clock, watchesNetwork: false, random: { 0.5 },
            log: { [events] event in events.withLock { $0.append(event) } })
    }

    @discardableResult
    private func enqueue(_ destination: String = "k") throws -> UUID {
        let operation = OutboxOperation(destination: destination, payload: Data("buy milk".utf8))
        try store().enqueue(operation)
        return operation.id
    }

    private func waitUntilEmpty() async throws {
        try await Patience.wait(for: "the queue is empty") { try store().isEmpty() }
    }

    @Test("Once: all operations are delivered, the oldest first, at most three at a time, and none is left")
    func once() async throws {
        let ids = try (0..<10).map { _ in try enqueue() }
        let gate = Gate(3)
        let handler = PlayedHandler { _ in
            await gate.enter()
            return .delivered
        }
        #expect(try await drainer(["k": handler]).run(.once) == .done)
        #expect(Set(handler.ids.prefix(3)) == Set(ids.prefix(3)))
        // Each begins when one before it has ended, and no later one before it.
        for (place, id) in handler.ids.enumerated() { #expect(abs(place - ids.firstIndex(of: id)!) <= 2) }
        #expect(handler.ids.count == 10 && handler.maximumAtOnce == 3)
        #expect(try store().index().ids.isEmpty)
    }

    @Test("A handler with an order gets one operation after the other, without delaying another destination")
    func inOrder() async throws {
        let others = Gate(2)
        var ids: [UUID] = []
        for _ in 0..<30 { ids.append(try enqueue("note")) }
        let random = Mutex(SplitMix64(for: "notes in order"))
        let handler = PlayedHandler(inOrder: true) { _ in
            for _ in 0..<random.withLock({ Int.random(in: 0...20, using: &$0) }) { await Task.yield() }
            return random.withLock { Bool.random(using: &$0) } ? .delivered : .failed(reason: "503")
        }
        try await drainer(["note": handler]).run(.once)
        #expect(handler.ids == ids && handler.maximumAtOnce == 1)

        // Both are under way at the same time.
        try enqueue("slow")
        try enqueue("fresh note")
        let meeting = PlayedHandler { _ in
            await others.enter(); return .delivered
        }
        let meetingInOrder = PlayedHandler(inOrder: true) { _ in
            await others.enter(); return .delivered
        }
        try await drainer(["slow": meeting, "fresh note": meetingInOrder]).run(.once)
        #expect(meeting.ids.count == 1 && meetingInOrder.ids.count == 1)
    }

    @Test("Once: an operation that fails is recorded and not tried again, however long the others take")
    func onceFailing() async throws {
        let id = try enqueue()
        let slow = try enqueue("slow")
        let failing = PlayedHandler { _ in .failed(reason: "no way") }
        let passing = PlayedHandler { [clock] _ in
            clock.advance(by: 1000)
            return .delivered
        }
        try await drainer(["k": failing, "slow": passing]).run(.once)
        #expect(failing.ids == [id] && passing.ids == [slow])
        let operation = try #require(try store().operation(id))
        #expect(operation.attemptCount == 1 && operation.lastError == "no way" && operation.firstFailedAt != nil)
        #expect(operation.nextEligibleAt == operation.lastAttemptAt.map { $0 + 2.3 })
    }

    @Test("An operation that is moved during an attempt is delivered to the new destination as well, as if it were new")
    func moved() async throws {
        for outcome in [
            DeliveryOutcome.delivered, .failed(reason: "503", mayHaveArrived: true), .needsUser(reason: "404"),
        ] {
            let id = try enqueue()
            let store = store()
            let old = PlayedHandler { operation in
                _ = try? store.move(operation.id, to: "new", notesFolder: nil)
                return outcome
            }
            let new = PlayedHandler { operation in
                #expect(
                    operation.destination == "new" && operation.attemptCount == 0 && operation.lastError == nil
                        && !operation.waitsForUser)
                #expect(!operation.mayHaveArrived)
                return .delivered
            }
            let drainer = drainer(["k": old, "new": new])
            func moved(_ id: UUID) -> UUID { id.forDestination("k").forDestination("new") }
            try await drainer.run(.once)
            // Who moves it drains once more.
            try await drainer.run(.once)
            #expect(old.ids == [id])
            #expect(new.ids == [moved(id)])
            let another = try enqueue()
            try await drainer.run(.untilIdle)
            try await drainer.run(.once)
            #expect(old.ids == [id, another])
            #expect(new.ids == [moved(id), moved(another)])
            #expect(try store.index().ids.isEmpty)
        }
    }

    @Test("Watching: an operation that any process enqueues is delivered at once, until the task is cancelled")
    func watching() async throws {
        let (came, tell) = AsyncStream.makeStream(of: UUID.self)
        let handler = PlayedHandler { operation in
            tell.yield(operation.id)
            return .delivered
        }
        let drainer = drainer(["k": handler])
        let run = Task { try await drainer.run(.watching) }
        var iterator = came.makeAsyncIterator()
        for _ in 0..<20 {
            let id = try enqueue()
            #expect(await iterator.next() == id)
        }
        try await waitUntilEmpty()
        run.cancel()
        #expect(try await run.value == .done)
        #expect(try store().index().ids.isEmpty && handler.ids.count == 20)
    }

    @Test("A failed operation is tried again after a delay, which grows each time, whatever the wall clock does")
    func again() async throws {
        let remaining = Mutex(6)
        let handler = PlayedHandler { _ in
            remaining.withLock { remaining in
                remaining -= 1
                return remaining == 0 ? .delivered : .failed(reason: "503")
            }
        }
        let id = try enqueue()
        let drainer = drainer(["k": handler])
        let run = Task { try await drainer.run(.watching) }
        for attempt in 1...5 {
            let delay = pow(2, Double(attempt)) * 1.15
            var time = await clock.sleeper()
            #expect(abs((time - clock.now) / .seconds(1) - delay) < 1e-6)
            clock.jump(by: attempt % 2 == 0 ? 1e7 : -1e7)
            clock.advance(by: delay - 0.001)
            time = await clock.sleeper()
            #expect(handler.ids.count == attempt)
            clock.advance(by: 0.002)
            if attempt < 5 {
                await events.wait { $0.count == attempt + 1 }
            }
        }
        try await waitUntilEmpty()
        run.cancel()
        _ = try await run.value
        #expect(events.state.last == .delivered(id: id, destination: "k", attempts: 6))
        #expect(try store().operation(id) == nil)
    }

    @Test("An operation that waits for the user is tried when another process says so")
    func held() async throws {
        let refuses = Mutex(true)
        let handler = PlayedHandler { _ in refuses.withLock { $0 } ? .needsUser(reason: "404") : .delivered }
        let id = try enqueue()
        let unknown = try enqueue("from the future")
        let drainer = drainer(["k": handler])
        let run = Task { try await drainer.run(.watching) }
        // Both are held.
        await events.wait { $0.count == 2 }
        #expect(try store().operation(id)?.waitsForUser == true)
        #expect(try store().operation(unknown)?.attemptCount == 0)
        refuses.withLock { $0 = false }
        try store().change(id) { $0.retry() }
        try await Patience.wait(for: "it is delivered") { try Array(store().index().ids) == [unknown] }
        run.cancel()
        _ = try await run.value
        // A version that knows the kind.
        try await self.drainer(["from the future": PlayedHandler()]).run(.once)
        #expect(try store().index().ids.isEmpty)
    }

    @Test(
        "A running drainer delivers by the handlers that it was given last: one that is added, another one, and none any more"
    )
    func otherHandlers() async throws {
        let (first, second) = (PlayedHandler { _ in .failed(reason: "503") }, PlayedHandler())
        let early = try enqueue("new")
        let failing = try enqueue()
        let drainer = drainer(["k": first])
        let run = Task { try await drainer.run(.watching) }
        // One is held, and one has failed.
        await events.wait { $0.count == 2 }
        await drainer.use(["new": second, "k": second])
        try await Patience.wait(for: "the early one arrives") { second.ids == [early] }
        // A delay stays what it is.
        _ = await clock.sleeper()
        clock.advance(by: 3)
        try await Patience.wait(for: "the other one arrives") { second.ids == [early, failing] }
        try await waitUntilEmpty()
        await drainer.use(["new": second])
        let unknown = try enqueue()
        await events.wait { $0.last == .unknownDestination(id: unknown, destination: "k") }
        run.cancel()
        _ = try await run.value
        #expect(first.ids == [failing])
    }

    @Test("Of two drainers one works, and the other takes over at its end")
    func two() async throws {
        let first = drainer(["k": PlayedHandler()])
        let second = drainer(["k": PlayedHandler()])
        let one = Task { try await first.run(.watching) }
        try enqueue()
        try await waitUntilEmpty()
        #expect(try await drainer(["k": PlayedHandler()]).run(.once) == .elsewhere)
        let two = Task { try await second.run(.watching) }
        await events.wait { $0.last == .isDrainedElsewhere }
        #expect(try store().isDrained())
        one.cancel()
        _ = try await one.value
        try enqueue()
        try await waitUntilEmpty()
        two.cancel()
        _ = try await two.value
        #expect(try !store().isDrained())
    }

    @Test(
        "A delivered operation that can't be removed from the disk is delivered again after a delay, until it is removed"
    )
    func cannotRemove() async throws {
        let id = try enqueue()
        let failures = Mutex(2)
        var calls = FileCalls()
        calls.unlink = { folder, name in
            let fails =
                name.hasSuffix(".json")
                && failures.withLock { failures in
                    failures -= 1
                    return failures >= 0
                }
            if fails { errno = EIO }
            return fails ? -1 : unlinkat(folder, name, 0)
        }
        let handler = PlayedHandler()
        let drainer = drainer(["k": handler], calls: calls)
        let run = Task { try await drainer.run(.watching) }
        for expected in [2.3, 4.6] {
            let time = await clock.sleeper()
            #expect(abs((time - clock.now) / .seconds(1) - expected) < 1e-6)
            clock.advance(by: 5)
        }
        try await waitUntilEmpty()
        run.cancel()
        _ = try await run.value
        #expect(handler.ids == [id, id, id])
    }

    @Test("When a failure can't be written to the disk, the delays grow nevertheless")
    func cannotNote() async throws {
        try enqueue()
        let faulty = FaultyCalls { $0 == "write" ? ENOSPC : nil }
        let drainer = drainer(["k": PlayedHandler { _ in .failed(reason: "503") }], calls: faulty.calls)
        let run = Task { try await drainer.run(.watching) }
        for expected in [2.3, 4.6, 9.2] {
            let time = await clock.sleeper()
            #expect(abs((time - clock.now) / .seconds(1) - expected) < 1e-6)
            clock.advance(by: expected)
        }
        run.cancel()
        _ = try await run.value
    }

    @Test(
        "For a handler that needs it, an attempt is recorded on the disk before it begins, until it has certainly failed"
    )
    func earlierAttempts() async throws {
        for (outcome, isKnownAfter) in [
            (DeliveryOutcome.failed(reason: "reset", mayHaveArrived: true), true), (.failed(reason: "refused"), false),
            (.needsUser(reason: "400"), false),
        ] {
            let id = try enqueue()
            let seen = Collected<Bool?>()
            let handler = PlayedHandler(needsEarlier: true) { [store = store()] operation in
                let onDisk = try? store.operation(operation.id)?.mayHaveArrived
                for value in [operation.mayHaveArrived, onDisk] { seen.add(value) }
                return outcome
            }
            try await drainer(["k": handler]).run(.once)
            #expect(seen.all == [false, true])
            #expect(try store().operation(id)?.mayHaveArrived == isKnownAfter)
            // A failure that surely did not arrive takes back nothing of one before it.
            try store().change(id) {
                $0.retry()
                $0.mayHaveArrived = true
            }
            try await drainer(["k": handler]).run(.once)
            #expect(seen.all == [false, true, true, true])
            #expect(try store().operation(id)?.mayHaveArrived == true)
            try store().remove(id)
        }
        // Nobody else's file is written.
        let id = try enqueue()
        let handler = PlayedHandler { [store = store()] operation in
            (try? store.operation(operation.id)?.mayHaveArrived) == false ? .failed(reason: "no") : .delivered
        }
        try await drainer(["k": handler]).run(.once)
        #expect(try store().operation(id) != nil)
    }

    @Test("A drainer that ends lets the attempts in flight end, and begins no other; a later run does nothing")
    func ending() async throws {
        try enqueue()
        let gate = Gate(2)
        let handler = PlayedHandler { _ in
            await gate.enter()
            return Task.isCancelled ? .failed(reason: "cancelled") : .delivered
        }
        let drainer = drainer(["k": handler])
        async let run = drainer.run(.watching)
        try await Patience.wait(for: "the attempt") { handler.ids.count == 1 }
        await drainer.end()
        let other = try enqueue()
        await gate.enter()
        #expect(try await run == .done)
        #expect(try Array(store().index().ids) == [other] && handler.ids.count == 1)
        #expect(try await drainer.run(.once) == .done && handler.ids.count == 1)
    }

    @Test(
        "A cancelled drainer cancels the attempts in flight, and does not count them as failures; they may have arrived, as if killed"
    )
    func killedInAttempt() async throws {
        let id = try enqueue()
        _ = try await cancelInAttempt {
            let operation = try store().operation(id)
            #expect(operation?.mayHaveArrived == true)
        }
        #expect(try store().operation(id)?.mayHaveArrived == true && store().operation(id)?.attemptCount == 0)
    }

    @Test("An operation whose turn comes after the drainer was cancelled is not brought, and can't have arrived")
    func cancelledBeforeItsTurn() async throws {
        let ids = try (0..<2).map { _ in try enqueue() }
        #expect(try await cancelInAttempt(inOrder: true) == [ids[0]])
        #expect(try ids.map { try store().operation($0)?.mayHaveArrived } == [true, false])
    }

    /// Runs a drainer whose attempts end only when they are cancelled, and cancels it once the first has begun.
    ///
    /// - Parameter check: looks at the store during the attempt.
    /// - Returns: the operations that were attempted.
    private func cancelInAttempt(inOrder: Bool = false, check: () throws -> Void = {}) async throws -> [UUID] {
        let (started, tell) = AsyncStream.makeStream(of: Void.self)
        let handler = PlayedHandler(inOrder: inOrder, needsEarlier: true) { _ in
            tell.yield()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            return .failed(reason: "broken off")
        }
        let run = Task { [drainer = drainer(["k": handler])] in try await drainer.run(.watching) }
        var iterator = started.makeAsyncIterator()
        await iterator.next()
        try check()
        run.cancel()
        _ = try await run.value
        return handler.ids
    }

    @Test("An operation that the user removes before its attempt begins is not delivered")
    func removedBefore() async throws {
        let first = try enqueue()
        let second = try enqueue()
        let handler = PlayedHandler(inOrder: true, needsEarlier: true) { [store = store()] _ in
            _ = try? store.remove(second)
            return .delivered
        }
        try await drainer(["k": handler]).run(.once)
        #expect(handler.ids == [first])
        #expect(try store().index().ids.isEmpty)
    }

    @Test("When attempts can't be written to the disk, the drainer remembers them as long as its process runs")
    func cannotNoteArrival() async throws {
        let id = try enqueue()
        let isFull = Mutex(false)
        let faulty = FaultyCalls { $0 == "write" && isFull.withLock { $0 } ? ENOSPC : nil }
        let outcomes = Mutex<[DeliveryOutcome]>([
            .failed(reason: "refused"), .failed(reason: "refused"), .failed(reason: "reset", mayHaveArrived: true),
            .delivered,
        ])
        let seen = Collected<Bool>()
        let handler = PlayedHandler(needsEarlier: true) { operation in
            // From the first attempt on; that it began is on the disk, and can't be taken back there.
            isFull.withLock { $0 = true }
            seen.add(operation.mayHaveArrived)
            return outcomes.withLock { $0.removeFirst() }
        }
        let drainer = drainer(["k": handler], calls: faulty.calls)
        for _ in 0..<4 {
            try await drainer.run(.once)
            clock.advance(by: 1000)
        }
        #expect(seen.all == [false, false, false, true])
        #expect(try store().operation(id) == nil)
    }

    @Test("When its folder is removed, the drainer reports it")
    func folderGone() async throws {
        let drainer = drainer(["k": PlayedHandler()])
        let run = Task { try await drainer.run(.watching) }
        try await Patience.wait(for: "it drains") { try store().isDrained() }
        try FileManager.default.removeItem(atPath: folder.file("outbox"))
        let error = await #expect(throws: OutboxError.self) { try await run.value }
        #expect(error?.code == .missing)
    }

    @Test("Files that can't be decoded are told, and delay nothing")
    func undecodable() async throws {
        try enqueue()
        let broken = UUID.timeOrdered()
        folder.put("half", in: "outbox/" + OutboxStore.name(of: broken))
        let handler = PlayedHandler()
        try await drainer(["k": handler]).run(.once)
        #expect(handler.ids.count == 1 && events.state.contains(.putAside(id: broken)))
        #expect(folder.names(in: "outbox/aside").count == 1)
    }

    @Test(
        "The kernel's messages: an interface that was down and is up, a new address and a new route mean that the network is back"
    )
    func network() {
        var links = DownLinks()
        func message(_ type: UInt16, _ body: [UInt32] = []) -> [UInt8] {
            let words = [UInt32(16 + body.count * 4), UInt32(type), 0, 0] + body
            return words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
        }
        func meansBack(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { links.meansBack($0) } }
        let (up, down) = (message(16, [0, 2, 0x40, 0]), message(16, [0, 2, 0, 0]))
        #expect(!meansBack([]) && !meansBack(up))
        #expect(!meansBack(down))
        #expect(meansBack(up) && !meansBack(up))
        #expect(!meansBack(down) && meansBack(message(17) + up))
        #expect(meansBack(message(20)) && meansBack(message(24)) && !meansBack(message(25)))
        // Cut off or lying.
        #expect(
            !meansBack(Array(up.prefix(20))) && !meansBack(message(16))
                && !meansBack([255, 0, 0, 0] + [UInt8](repeating: 20, count: 12)))
    }
}
