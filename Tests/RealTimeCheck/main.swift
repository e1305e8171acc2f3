// Runs the capture loop with RealtimeSanitizer around it: whatever allocates, locks or waits in there, outside of the device's own
// calls, ends this program with the sanitizer's report. RealTimeTests compiles it against the library and runs it.
//
//   real-time-check CALLBACKS [--plant malloc|lock|wait]
import CALSA
import Glibc

@testable import Audio

@_silgen_name("__rtsan_ensure_initialized") func ensureInitialized()
@_silgen_name("__rtsan_realtime_enter") func enterRealTime()
@_silgen_name("__rtsan_realtime_exit") func leaveRealTime()

/// What the device's calls share. Only the one thread that there is uses it.
struct Device {
    var callbacks: Int
    var readCount = 0
    var time: Int64 = 0
    var periodLength = 24
    var plant: String?
    var condition = SND_PCM_STATE_RUNNING
    var hasPlanted = false
    /// A linear congruential generator's state.
    var random: UInt32 = 1

    /// Something goes wrong in one of so many calls.
    mutating func happens(in count: UInt32) -> Bool {
        random = random &* 1_664_525 &+ 1_013_904_223
        return random >> 8 % count == 0
    }
}

nonisolated(unsafe) let device = UnsafeMutablePointer<Device>.allocate(capacity: 1)
nonisolated(unsafe) let session = UnsafeMutablePointer<CaptureSession>.allocate(capacity: 1)

let arguments = CommandLine.arguments
device.initialize(to: Device(callbacks: arguments.count > 1 ? Int(arguments[1]) ?? 0 : 0))
if arguments.count > 3, arguments[2] == "--plant" { device.pointee.plant = arguments[3] }

/// A device's call: outside the region, as ALSA's own are ALSA's.
func outside<Result>(_ body: () -> Result) -> Result {
    leaveRealTime()
    defer { enterRealTime() }
    return body()
}

let calls = capture_calls(
    wait: { _, descriptors, count, milliseconds in
        outside {
            device.pointee.time += 1_500_000
            return count > 1 && !device.pointee.happens(in: 50) ? 1 : 0
        }
    },
    events: { _, _, _, events in
        outside {
            let state = device.pointee.condition
            events?.pointee = UInt16(state == SND_PCM_STATE_RUNNING ? POLLIN : POLLERR)
            return 0
        }
    },
    read: { _, buffer, count in
        outside {
            device.pointee.readCount += 1
            if device.pointee.readCount >= device.pointee.callbacks { session.pointee.requestStop() }
            switch device.pointee.condition {
            case SND_PCM_STATE_XRUN: return -snd_pcm_sframes_t(EPIPE)
            case SND_PCM_STATE_SUSPENDED: return -snd_pcm_sframes_t(ESTRPIPE)
            default: break
            }
            if device.pointee.happens(in: 10) { return -snd_pcm_sframes_t(EAGAIN) }
            if device.pointee.happens(in: 1_000) {
                device.pointee.condition = SND_PCM_STATE_XRUN
                return -snd_pcm_sframes_t(EPIPE)
            }
            if device.pointee.happens(in: 1_000) {
                device.pointee.condition = SND_PCM_STATE_SUSPENDED
                return -snd_pcm_sframes_t(ESTRPIPE)
            }
            let length = device.pointee.happens(in: 5) ? Int(count) / 2 : Int(count)
            let samples = buffer!.assumingMemoryBound(to: Int16.self)
            for index in 0..<length { samples[index] = Int16(truncatingIfNeeded: index &* 977) }
            return length
        }
    },
    avail: { _ in outside { 24 } },
    state: { _ in outside { device.pointee.condition } },
    prepare: { _ in
        outside {
            device.pointee.condition = SND_PCM_STATE_PREPARED
            return 0
        }
    },
    start: { _ in
        outside {
            device.pointee.condition = SND_PCM_STATE_RUNNING
            return 0
        }
    },
    resume: { _ in
        outside {
            if device.pointee.happens(in: 3) { return -EAGAIN }
            if device.pointee.happens(in: 3) { return -ENOSYS }
            device.pointee.condition = SND_PCM_STATE_RUNNING
            return 0
        }
    },
    now: { _ in
        // What is planted is inside the region, where the loop's own work is.
        if device.pointee.readCount > device.pointee.callbacks / 2, !device.pointee.hasPlanted,
            let plant = device.pointee.plant
        {
            device.pointee.hasPlanted = true
            planted(plant)
        }
        return device.pointee.time
    },
    // A write(2), which the sanitizer knows can block; this eventfd does not.
    wake: { _, descriptor in outside { capture_write_wake_up(descriptor) } })

nonisolated(unsafe) var lock = pthread_mutex_t()

func planted(_ plant: String) {
    switch plant {
    case "malloc": free(malloc(16))
    case "lock":
        pthread_mutex_lock(&lock)
        pthread_mutex_unlock(&lock)
    default: poll(nil, 0, 1)
    }
}

/// One capture from a device of this kind.
func capture(_ encoding: CaptureEncoding, from rate: Int) throws {
    device.pointee.condition = SND_PCM_STATE_PREPARED
    device.pointee.readCount = 0
    let configuration = CaptureConfiguration(device: "check", bufferDuration: 1)
    session.initialize(
        to: CaptureSession(configuration) { configuration throws(CaptureError) in
            throw CaptureError(.failed, device: "check")
        })
    defer { session.deinitialize(count: 1) }
    var loop = CaptureLoop(
        CaptureDevice(
            pcm: OpaquePointer(UnsafeRawPointer(device)), calls: calls, close: { _ in }, encoding: encoding,
            sampleRate: rate,
            channelCount: 1, periodLength: device.pointee.periodLength, bufferLength: rate,
            descriptors: [pollfd(fd: -1, events: 0, revents: 0)], isHardware: false),
        ring: session.pointee.ring, gaps: session.pointee.gaps, counters: session.pointee.counters, control: -1,
        wakeUp: session.pointee.wakeUp.descriptor,
        converter: try SampleRateConverter(from: rate, to: 16_000, maximumFrameCount: device.pointee.periodLength),
        blockLength: 480, sampleLimit: nil)
    enterRealTime()
    let result = loop.start()
    let end = loop.run()
    leaveRealTime()
    let counters = session.pointee.counters
    print(
        "\(encoding) \(rate): \(device.pointee.readCount) callbacks, \(counters.framesCaptured.load(ordering: .relaxed)) frames, "
            + "\(counters.overruns.load(ordering: .relaxed)) overruns, \(counters.suspensions.load(ordering: .relaxed)) suspensions, "
            + "\(end.reason), \(result)")
}

ensureInitialized()
pthread_mutex_init(&lock, nil)
let total = device.pointee.callbacks
for encoding in CaptureEncoding.allCases {
    for rate in [16_000, 48_000] {
        device.pointee.callbacks = total / (2 * CaptureEncoding.allCases.count)
        try capture(encoding, from: rate)
    }
}
print("done")
