// Each line that is marked here does what the capture thread must not, beside what it does. RealTimeTests has the compiler reject those and no
// other.
import CALSA
import Dispatch
import Synchronization

@testable import Audio

final class Shared: Sendable {
    let mutex = Mutex(0)
}

typealias Calls = UnsafePointer<capture_calls>

// What the capture thread itself does may be done.
@_noLocks
func clean(
    _ calls: Calls, _ converter: inout SampleRateConverter, _ ring: SampleRing,
    _ samples: UnsafeMutableBufferPointer<Int16>
)
    -> Int64
{
    let count = Int(capture_read(calls, nil, nil, 0))
    _ = converter.convertOrFail(UnsafeBufferPointer(start: nil, count: 0), into: samples)
    ring.write(UnsafeBufferPointer(rebasing: samples[..<count]))
    capture_wake(calls, nil, 0)
    return capture_now(calls, nil)
}

@_noLocks
func runs(_ loop: inout CaptureLoop) -> Int32 {
    let result = loop.start()
    return result < 0 ? result : loop.run().code
}

@_noLocks
func growsArray(_ calls: Calls, _ names: inout [Int]) {
    names.append(capture_read(calls, nil, nil, 0))  // planted
}

@_noLocks
func makesArray(_ calls: Calls) -> Int {
    [Int](repeating: 0, count: capture_read(calls, nil, nil, 0)).count  // planted
}

@_noLocks
func makesObject(_ calls: Calls) -> Int64 {
    _ = Shared()  // planted
    return capture_now(calls, nil)
}

@_noLocks
func locks(_ calls: Calls, _ shared: Shared) -> Int64 {
    shared.mutex.withLock { $0 += 1 }  // planted
    return capture_now(calls, nil)
}

@_noLocks
func signals(_ calls: Calls, _ semaphore: DispatchSemaphore) -> Int64 {
    semaphore.signal()  // planted
    return capture_now(calls, nil)
}

@_noLocks
func yields(_ calls: Calls, _ stream: AsyncStream<Int>.Continuation) -> Int64 {
    stream.yield(1)  // planted
    return capture_now(calls, nil)
}

@_noLocks
func prints(_ calls: Calls) -> Int64 {
    print("sound")  // planted
    return capture_now(calls, nil)
}

@_noLocks
func callsSystem(_ calls: Calls) -> Int64 {
    capture_write_wake_up(0)  // planted
    return capture_now(calls, nil)
}
