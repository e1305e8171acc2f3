import CLinux
import Foundation
import Glibc
import Testing

@testable import Speech

@Suite("A call into libvosk")
struct EngineCallTests {
    @Test("is recorded while it lasts, with its thread and a number of its own, and has a stack for signals")
    func running() {
        var numbers: [Int] = []
        var outside = stack_t()
        sigaltstack(nil, &outside)
        for _ in 0..<3 {
            #expect(!EngineCall.isRunning(on: gettid()))
            EngineCall.make {
                #expect(EngineCall.isRunning(on: gettid()))
                numbers += EngineCall.running.filter { $0.thread == gettid() }.map(\.number)
                var inside = stack_t()
                sigaltstack(nil, &inside)
                #expect(inside.ss_size >= 1 << 16 && inside.ss_flags & Int32(SS_DISABLE) == 0)
                #expect(inside.ss_sp != outside.ss_sp)
            }
        }
        #expect(!EngineCall.isRunning(on: gettid()))
        #expect(numbers.count == 3 && numbers == Set(numbers).sorted())
        var after = stack_t()
        sigaltstack(nil, &after)
        #expect(after.ss_sp == outside.ss_sp && after.ss_flags == outside.ss_flags)
    }

    @Test("is recorded beside those of other threads, and more of them than there is room for do no harm")
    func many() async {
        let entered = NSCondition()
        nonisolated(unsafe) var count = 0
        nonisolated(unsafe) var mayLeave = false
        await withTaskGroup { group in
            for _ in 0..<300 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            EngineCall.make {
                                entered.lock()
                                count += 1
                                entered.broadcast()
                                while !mayLeave { entered.wait() }
                                entered.unlock()
                            }
                            continuation.resume()
                        }
                    }
                }
            }
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        entered.lock()
                        while count < 300 { entered.wait() }
                        let running = EngineCall.running
                        #expect(running.count >= 256 && Set(running.map(\.thread)).count == running.count)
                        mayLeave = true
                        entered.broadcast()
                        entered.unlock()
                        continuation.resume()
                    }
                }
            }
        }
    }
}
