import Testing

@testable import utter

@Suite("The recognizer counts as stopped")
struct RecognizerWatchTests {
    /// A reference to a watch, since #expect does not allow a mutating call.
    private final class Watch {
        private var watch = RecognizerWatch()

        func hasStopped(_ looks: [RecognizerWatch.Look], time: Double) -> Bool { watch.hasStopped(looks, time: time) }
    }

    private static func look(_ call: Int, _ processorTime: Double, read bytes: Int = 0) -> RecognizerWatch.Look {
        RecognizerWatch.Look(call: call, processorTime: processorTime, bytesRead: bytes)
    }

    @Test("when one call has computed for eight seconds, whatever its thread computed before")
    func computing() {
        let watch = Watch()
        #expect(!watch.hasStopped([], time: 0))
        #expect(!watch.hasStopped([Self.look(1, 100)], time: 1))
        #expect(!watch.hasStopped([Self.look(1, 107.9)], time: 9))
        #expect(watch.hasStopped([Self.look(1, 108)], time: 9.1))
        #expect(watch.hasStopped([Self.look(2, 5), Self.look(1, 109)], time: 10))
    }

    @Test("not while its calls end, however long they take together")
    func shortCalls() {
        let watch = Watch()
        for number in 0..<1000 {
            #expect(!watch.hasStopped([Self.look(number, Double(number) * 7)], time: Double(number) * 7))
        }
    }

    @Test("not while it reads the files of a large model, but when it then computes without reading")
    func reading() {
        let watch = Watch()
        for second in 0..<600 {
            #expect(!watch.hasStopped([Self.look(1, Double(second), read: second << 16)], time: Double(second)))
        }
        // Reading a little is not enough.
        #expect(!watch.hasStopped([Self.look(1, 606.9, read: 600 << 16 - 1)], time: 607))
        #expect(watch.hasStopped([Self.look(1, 607, read: 600 << 16 - 1)], time: 608))
    }

    @Test("when it waits for a minute without computing, but not while other processes compute, or the computer sleeps")
    func waiting() {
        var watch = Watch()
        for second in 0..<60 { #expect(!watch.hasStopped([Self.look(1, 0)], time: Double(second))) }
        #expect(watch.hasStopped([Self.look(1, 0)], time: 60))
        watch = Watch()
        for hour in 0..<60 { #expect(!watch.hasStopped([Self.look(1, 0)], time: Double(hour) * 3600)) }
    }
}
