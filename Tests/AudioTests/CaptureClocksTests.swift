import Testing

@testable import Audio

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

@Suite("The device's clock")
struct DeviceClockTests {
    /// What is measured over seconds in which so many frames come each.
    private func measured(_ clock: inout DeviceClock, from: Int64 = 0, seconds: Int64, rate: Int64) -> [Int] {
        (1...seconds).map { clock.soundCame(at: from + $0 * second, frames: (from / second + $0) * rate) }.filter {
            $0 > 0
        }
    }

    @Test("is measured from where the device was empty, once two stretches of five seconds agree")
    func agreement() {
        var clock = DeviceClock(now: 0)
        #expect(measured(&clock, seconds: 30, rate: 48_010) == [])
        clock.emptied(at: 30 * second, frames: 30 * 48_010)
        #expect(measured(&clock, from: 30 * second, seconds: 9, rate: 48_010) == [])
        #expect(measured(&clock, from: 39 * second, seconds: 1, rate: 48_010) == [48_010])
    }

    @Test("is not believed where two stretches differ by more than half a percent")
    func disagreement() {
        var clock = DeviceClock(now: 0)
        clock.emptied(at: second, frames: 0)
        #expect(clock.soundCame(at: 6 * second, frames: 240_000) == 0)
        #expect(clock.soundCame(at: 11 * second, frames: 481_000) == 48_100)
        #expect(clock.soundCame(at: 16 * second, frames: 730_000) == 0)
    }

    @Test("begins anew after half a second without sound, and after a loss")
    func pauses() {
        for pause in [true, false] {
            var clock = DeviceClock(now: 0)
            clock.emptied(at: second, frames: 0)
            #expect(clock.soundCame(at: 6 * second, frames: 240_000) == 0)
            // Half a second less a moment is no pause.
            clock.waited(until: 6 * second + 499 * millisecond)
            if pause {
                clock.waited(until: 6 * second + 500 * millisecond)
            } else {
                clock.wentOn(at: 6 * second + 500 * millisecond)
            }
            #expect(clock.soundCame(at: 12 * second, frames: 528_000) == 0)
            clock.emptied(at: 12 * second, frames: 528_000)
            #expect(clock.soundCame(at: 17 * second, frames: 768_000) == 48_000)
        }
    }

    @Test("keeps the point it is measured from when the device is empty again")
    func anchor() {
        var clock = DeviceClock(now: 0)
        clock.emptied(at: second, frames: 0)
        clock.emptied(at: 4 * second, frames: 144_000)
        #expect(clock.soundCame(at: 6 * second, frames: 240_000) == 0)
        #expect(clock.soundCame(at: 11 * second, frames: 480_000) == 48_000)
    }
}
