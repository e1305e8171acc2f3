import CALSA
import TestSupport

@testable import Audio

/// What a `FakeDevice` is, what it gives, and what befalls it.
struct FakeDevicePlan: Sendable {
    enum Call: CaseIterable, Sendable {
        case wait, events, read, avail, state, prepare, start, resume, now
    }

    /// From a time on, in seconds, a call answers so, so many times.
    struct Fault: Sendable {
        var call: Call
        /// A negative errno; for `read` also how many frames it gives at most, for `events` the poll events, for `state` the state.
        var answer: Int
        var time = 0.5
        var times = Int.max
    }

    /// Something that happens, beginning at a time and for so long, in seconds.
    struct Mishap: Sendable {
        enum Kind: Sendable {
            /// The capture thread does not get to run.
            case standstill
            /// Nothing sounds, and the device is none the wiser: an idle sound server.
            case pause
            /// What sounds comes all at once afterwards.
            case delay
            /// The machine sleeps; so long after it the device is not yet ready.
            case suspension
            case unplugging
            /// The tap is told to stop.
            case stop
        }

        var kind: Kind
        var time = 0.5
        var duration = 0.0
    }

    var encoding = CaptureEncoding.signed16
    var sampleRate = 16_000
    var channelCount = 1
    /// In frames.
    var periodLength = 160
    var bufferLength = 16_000
    /// Frames a second by the clock.
    var trueRate = 16_000.0
    /// How many frames sound in all.
    var frameCount = 32_000
    /// The frames as they are encoded; without them each is a number that follows from its place.
    var bytes: [UInt8]?
    var faults: [Fault] = []
    var mishaps: [Mishap] = []
    /// Whether poll(2) returns at once for a suspended device, or waits.
    var speaksUp = true
    /// Called with each wait: holds the device up for real.
    var gate: (@Sendable () -> Void)?
    /// Whether it remembers what was read, and how often it was called in each second of its clock.
    var isWatched = true

    init() {}

    init(_ change: (inout FakeDevicePlan) -> Void) { change(&self) }

    /// A device that gives these samples at 16 kHz.
    static func playing(_ samples: [Int16]) -> FakeDevicePlan {
        FakeDevicePlan {
            $0.bytes = Samples.bytes(samples)
            $0.frameCount = samples.count
        }
    }

    /// The sample of a frame; never 0.
    static func number(_ frame: Int) -> Int16 { Int16(truncatingIfNeeded: (frame &* 2_654_435_761) >> 7) | 1 }

    func write(_ frames: Range<Int>, to buffer: UnsafeMutableRawPointer) {
        let bytesPerFrame = encoding.byteCount * channelCount
        if let bytes {
            bytes.withUnsafeBytes {
                buffer.copyMemory(
                    from: $0.baseAddress! + frames.lowerBound * bytesPerFrame, byteCount: frames.count * bytesPerFrame)
            }
        } else {
            var sample = buffer.assumingMemoryBound(to: Int16.self)
            for frame in frames {
                let number = Self.number(frame)
                for _ in 0..<channelCount {
                    sample.pointee = number
                    sample += 1
                }
            }
        }
    }
}
