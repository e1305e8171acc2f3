import TestSupport
import Testing

@testable import Audio

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

@Suite("The timeline of a capture")
struct CaptureTimelineTests {
    /// A device of 48 kHz, read at 16 kHz, started at one second.
    private var started: CaptureTimeline {
        var timeline = CaptureTimeline(deviceRate: 48_000, outputRate: 16_000, now: 0)
        timeline.started(at: second)
        return timeline
    }

    @Test("A gap is as long as the time since the last frame that was read had sounded")
    func gap() {
        var timeline = started
        // A tenth of a second of sound, and the device was empty afterwards.
        timeline.looked(at: second + 100 * millisecond)
        timeline.read(4800, of: 9600, isOutOfSound: false, at: second + 101 * millisecond)
        #expect(timeline.pendingGap == 0)
        #expect(timeline.wentOn(at: second + 600 * millisecond) == 8000)
        // Nothing has sounded between: the device has just gone on.
        #expect(timeline.wentOn(at: second + 600 * millisecond) == 0)
        #expect(timeline.pendingGap == 8000)
        timeline.gapAnnounced()
        #expect(timeline.pendingGap == 0)
    }

    @Test("A thread that was held up after a read loses nothing: what it reads late had sounded in time")
    func heldUp() {
        var timeline = started
        // Full reads, each as late as one likes: the frames themselves say when they sounded.
        for _ in 0..<10 { timeline.read(4800, of: 4800, isOutOfSound: false, at: 5 * second) }
        #expect(timeline.wentOn(at: 2 * second + 250 * millisecond) == 4000)
    }

    @Test("A full read after which the device has nothing more sets the time right")
    func emptyAfterFull() {
        for result in [0, -11] {
            var timeline = started
            timeline.read(4800, of: 4800, isOutOfSound: false, at: second + 200 * millisecond)
            timeline.read(result, of: 4800, isOutOfSound: true, at: second + 201 * millisecond)
            // Sounded until the look before, and not only until 1.1 s.
            #expect(timeline.wentOn(at: second + 300 * millisecond) == 1600)
        }
    }

    @Test("An empty read by itself, or a failure, says nothing")
    func emptyAlone() {
        var timeline = started
        timeline.looked(at: second + 100 * millisecond)
        timeline.read(0, of: 4800, isOutOfSound: true, at: second + 100 * millisecond)
        timeline.read(-32, of: 4800, isOutOfSound: false, at: second + 100 * millisecond)
        #expect(timeline.wentOn(at: second + 500 * millisecond) == 8000)
    }

    @Test("No sound is later than the read that gave it, and no gap is negative")
    func never() {
        var timeline = started
        timeline.read(480_000, of: 480_000, isOutOfSound: false, at: second + 10 * millisecond)
        #expect(timeline.wentOn(at: second) == 0)
        #expect(timeline.pendingGap == 0)
        timeline = started
        timeline.read(480_000, of: 480_000, isOutOfSound: false, at: second + 10 * millisecond)
        #expect(timeline.wentOn(at: second + 20 * millisecond) == 160)
    }

    @Test("A loss counts once until sound comes again")
    func losses() {
        var timeline = started
        var counted = [timeline.countsLoss(), timeline.countsLoss(), timeline.countsLoss()]
        #expect(counted == [true, false, false])
        timeline.soundCame()
        counted = [timeline.countsLoss(), timeline.countsLoss()]
        #expect(counted == [true, false])
    }

    @Test("Whatever the sizes of the reads, all that is missing is in the gaps, to a sample each")
    func random() {
        var generator = SplitMix64(for: "gaps of the timeline")
        for _ in 0..<100 {
            var timeline = started
            var (time, missing, gaps) = (second, Int64(0), Int64(0))
            for _ in 0..<50 {
                let count = Int.random(in: 1...4800, using: &generator)
                time += Int64(count) * second / 48_000
                timeline.looked(at: time)
                timeline.read(count, of: 4801, isOutOfSound: false, at: time)
                guard Int.random(in: 0..<5, using: &generator) == 0 else { continue }
                let lost = Int64.random(in: 0...1000, using: &generator) * millisecond
                time += lost
                missing += lost / millisecond * 16
                gaps += 1
                _ = timeline.wentOn(at: time)
            }
            #expect(abs(timeline.pendingGap - missing) <= gaps)
        }
    }
}

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
