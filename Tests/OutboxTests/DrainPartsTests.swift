import Foundation
import TestSupport
import Testing

@testable import Outbox

@Suite("The order of delivery")
struct DeliveryOrderTests {
    private let a = UUID()
    private let b = UUID()
    private let c = UUID()

    @Test("is that of beginning among those of one kind, and others do not wait")
    func kinds() {
        var order = DeliveryOrder()
        for id in [a, b, c] { order.began(id) }
        order.read(a, destination: "notes")
        order.read(b, destination: "mail")
        order.read(c, destination: "notes")
        #expect(order.isTurn(of: a) && order.isTurn(of: b) && !order.isTurn(of: c))
        order.ended(b)
        #expect(!order.isTurn(of: c))
        order.ended(a)
        #expect(order.isTurn(of: c))
    }

    @Test("waits for an earlier one of which nobody knows yet where it goes")
    func unread() {
        var order = DeliveryOrder()
        order.began(a)
        order.began(b)
        order.read(b, destination: "notes")
        #expect(!order.isTurn(of: b))
        order.read(a, destination: "mail")
        #expect(order.isTurn(of: b))
        // One that turns out not to be there ends unread.
        order.began(c)
        order.ended(c)
        #expect(order.isTurn(of: a))
    }

    @Test("always lets somebody go, and never two of a kind")
    func random() {
        var generator = SplitMix64(for: "order of delivery")
        for _ in 0..<200 {
            var order = DeliveryOrder()
            var kinds: [UUID: String] = [:]
            var began: [UUID] = []
            for _ in 0..<50 {
                if began.count < 6, Bool.random(using: &generator) {
                    began.append(UUID())
                    order.began(began[began.count - 1])
                } else if let unread = began.filter({ kinds[$0] == nil }).randomElement(using: &generator),
                    Bool.random(using: &generator)
                {
                    kinds[unread] = ["notes", "mail"].randomElement(using: &generator)!
                    order.read(unread, destination: kinds[unread]!)
                }
                let turns = began.filter { kinds[$0] != nil && order.isTurn(of: $0) }
                for destination in ["notes", "mail"] { #expect(turns.count { kinds[$0] == destination } <= 1) }
                if let first = began.first { #expect(kinds[first] == nil || turns.contains(first)) }
                if let ending = turns.randomElement(using: &generator), Bool.random(using: &generator) {
                    began.removeAll { $0 == ending }
                    order.ended(ending)
                }
            }
        }
    }
}

@Suite("What a drainer remembers of attempts")
struct AttemptMemoryTests {
    private let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func operation(nextAt: Date) -> OutboxOperation {
        var operation = OutboxOperation(destination: "mail", payload: Data())
        operation.nextEligibleAt = nextAt
        return operation
    }

    @Test("is when they are tried again, for as long as the file says the time that was written")
    func schedule() {
        var memory = AttemptMemory()
        var operation = operation(nextAt: now)
        #expect(memory.scheduledTime(of: operation) == nil)
        memory.scheduled(operation.id, until: .seconds(7), date: now)
        #expect(memory.scheduledTime(of: operation) == .seconds(7))
        // A file holds milliseconds.
        operation.nextEligibleAt = now + 0.0004
        #expect(memory.scheduledTime(of: operation) == .seconds(7))
        // Somebody else has written it.
        operation.nextEligibleAt = now + 1
        #expect(memory.scheduledTime(of: operation) == nil)
        operation.nextEligibleAt = nil
        #expect(memory.scheduledTime(of: operation) == nil)
    }

    @Test("is how many attempts no file says anything of, until one does")
    func unwritten() {
        var memory = AttemptMemory()
        let id = UUID()
        #expect(memory.unwritten(id) == nil)
        #expect(memory.countUnwritten(id, mayHaveArrived: false) == 1)
        #expect(memory.countUnwritten(id, mayHaveArrived: true) == 2)
        #expect(memory.unwritten(id) == AttemptMemory.Unwritten(attempts: 2, mayHaveArrived: true))
        memory.written(id)
        #expect(memory.unwritten(id) == nil)
    }

    @Test("is nothing of what has gone")
    func gone() {
        var memory = AttemptMemory()
        let old = operation(nextAt: now)
        memory.scheduled(old.id, until: .zero, date: now)
        _ = memory.countUnwritten(old.id, mayHaveArrived: true)
        memory.forget(old.id)
        #expect(memory.scheduledTime(of: old) == nil && memory.unwritten(old.id) == nil)
    }
}

@Suite("The network's return")
struct NetworkReturnTests {
    @Test("counts when nothing has changed for a moment, and not again within five seconds")
    func pauses() {
        var network = NetworkReturn()
        #expect(network.isDue(at: .seconds(100)) == false)
        network.changed(at: .seconds(100))
        network.changed(at: .seconds(100) + .milliseconds(200))
        #expect(network.wakeTime == .seconds(100) + .milliseconds(450))
        #expect(network.isDue(at: .seconds(100) + .milliseconds(449)) == false)
        #expect(network.isDue(at: .seconds(101)) == true)
        #expect(network.wakeTime == nil)
        #expect(network.isDue(at: .seconds(101)) == false)
        network.changed(at: .seconds(102))
        #expect(network.wakeTime == .seconds(106))
    }
}
