import Foundation
import Synchronization
import System
import TestSupport
import Testing

@testable import Outbox

/// The wall's clock, which may be put forward and back, and the one that counts since the start of the machine, which begins anew with it.
@Suite("Clocks that jump in the middle of a delay")
struct ClockTests {
    private static let day = 86_400.0
    private let folder = TemporaryFolder()
    private var store: OutboxStore { OutboxStore(folder: folder.path + "/outbox") }

    @Test("neither lengthen nor shorten the delays of a running drainer", arguments: [day, -day])
    func running(jump: Double) async throws {
        let clock = FakeClock()
        let outcomes = Mutex<[DeliveryOutcome]>([.failed(reason: "503", after: .seconds(3600)), .delivered, .delivered])
        let handler = PlayedHandler(inOrder: true) { _ in outcomes.withLock { $0.removeFirst() } }
        try store.enqueue(OutboxOperation(destination: "k", payload: Data()))
        let drainer = OutboxDrainer(
            store: store, handlers: ["k": handler], clock: clock, watchesNetwork: false, random: { 0 })
        let run = Task { try await drainer.run(.untilIdle) }
        var time = await clock.sleeper()
        #expect(time - clock.now == .seconds(3600))
        clock.advance(by: 1800)
        clock.jump(by: jump)
        // Whoever writes the file makes it look at it again, by the new clock.
        let id = try #require(handler.ids.first)
        try store.change(id) { $0.lastError = "503 again" }
        // One that comes later waits until it has been looked at.
        let later = OutboxOperation(destination: "k", payload: Data())
        try store.enqueue(later)
        try await Patience.wait(for: "the later one arrives") { handler.ids == [id, later.id] }
        time = await clock.sleeper()
        #expect(time - clock.now == .seconds(1800))
        clock.advance(by: 1799)
        #expect(handler.ids.count == 2)
        clock.advance(by: 1)
        _ = try await run.value
        #expect(handler.ids == [id, later.id, id])
    }

    @Test("make the next start try at once after a jump forward, and after at most the whole delay after a jump back")
    func restarted() async throws {
        for (jump, remaining) in [
            (Self.day, nil), (-Self.day, 3600), (0, 1800), (1799, 1), (-1799, 3599), (-1801, 3600),
        ]
            as [(Double, Int?)]
        {
            let clock = FakeClock()
            let operation = OutboxOperation(destination: "k", payload: Data())
            try store.enqueue(operation)
            try store.change(operation.id) {
                $0.fail(attempts: 1, "503", delay: 3600, isNetwork: false, at: clock.date)
            }
            clock.advance(by: 1800)
            clock.jump(by: jump)
            let handler = PlayedHandler()
            let drainer = OutboxDrainer(store: store, handlers: ["k": handler], clock: clock, watchesNetwork: false)
            let run = Task { try await drainer.run(.untilIdle) }
            if let remaining {
                let time = await clock.sleeper()
                #expect(abs((time - clock.now) / .seconds(1) - Double(remaining)) < 1e-3, "\(jump)")
                #expect(handler.ids.isEmpty)
                clock.advance(by: Double(remaining) + 0.001)
            }
            _ = try await run.value
            #expect(handler.ids == [operation.id], "\(jump)")
        }
    }

    @Test(
        "of the wall: starts that come and go, as a timer has them, wait for one delay together when it went back, and not each for its own"
    )
    func timer() async throws {
        let clock = FakeClock()
        let operation = OutboxOperation(destination: "k", payload: Data())
        try store.enqueue(operation)
        try store.change(operation.id) { $0.fail(attempts: 9, "503", delay: 600, isNetwork: false, at: clock.date) }
        clock.jump(by: -Self.day)
        let handler = PlayedHandler()
        for start in 0...2 {
            #expect(handler.ids.isEmpty, "\(start)")
            try await OutboxDrainer(store: store, handlers: ["k": handler], clock: clock, watchesNetwork: false).run(
                .once)
            clock.advance(by: 300.001)
        }
        #expect(handler.ids.count == 1)
    }
}
