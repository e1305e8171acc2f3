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
}

@Suite("What a drainer remembers of attempts")
struct AttemptMemoryTests {
    @Test("is when they are tried again, for as long as the file says the time that was written")
    func schedule() {
        var memory = AttemptMemory()
        var operation = OutboxOperation(destination: "mail", payload: Data())
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        memory.scheduled(operation.id, until: .seconds(7), date: date)
        // A file holds milliseconds; with another time somebody else has written it.
        for (written, expected) in [(date + 0.0004, .seconds(7)), (date + 1, nil), (nil, nil)] as [(Date?, Duration?)] {
            operation.nextEligibleAt = written
            #expect(memory.scheduledTime(of: operation) == expected)
        }
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
