import CALSA
import Glibc
import TestSupport
import Testing

@testable import Audio

/// A device misbehaves from half a second on, in two seconds of sound.
@Suite("A device that misbehaves")
struct CaptureFaultTests {
    enum Outcome: Hashable, CustomStringConvertible {
        /// No sample is missing.
        case unnoticed
        /// Sound is missing, is counted, and what follows stands where it sounded.
        case gap
        case ends(CaptureError.Code, errno: Int32)

        var description: String {
            switch self {
            case .unnoticed: "unnoticed"
            case .gap: "a gap"
            case .ends(let code, let errno): "ends: \(code.rawValue) \(errno)"
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var call: FakeDevicePlan.Call
        var answer: Int
        var times: Int
        var testDescription: String {
            "\(call) answers \(answer) \(times == .max ? "for ever" : times == 1 ? "once" : "\(times) times")"
        }
    }

    static let errors = [EAGAIN, EINTR, EPIPE, ESTRPIPE, ENODEV, EBADFD, EIO]
    /// What a call may answer: errors, a number that is none, and for some a success that is none.
    static let cases: [Case] = Tier.every(2, of: [1, 3, .max]).flatMap { times in
        FakeDevicePlan.Call.allCases.flatMap { call -> [Case] in
            var answers = errors.map { -Int($0) } + [-1_000_000]
            switch call {
            case .now: answers = []
            case .state:
                answers = [
                    SND_PCM_STATE_OPEN, SND_PCM_STATE_SETUP, SND_PCM_STATE_PREPARED, SND_PCM_STATE_XRUN,
                    SND_PCM_STATE_DRAINING, SND_PCM_STATE_PAUSED, SND_PCM_STATE_SUSPENDED, SND_PCM_STATE_DISCONNECTED,
                    .init(99),
                ].map { Int($0.rawValue) }
            case .read: answers += times == .max ? [0, 80] : [0, 1, 80]
            case .events: answers += [0, POLLIN, POLLERR, POLLHUP, POLLNVAL, POLLIN | POLLERR].map { Int($0) }
            case .avail: answers += [0, 1, .max]
            case .wait: answers += [0, 1]
            default: break
            }
            return answers.map { Case(call: call, answer: $0, times: times) }
        }
    }

    /// What must come of it.
    static func outcome(_ fault: Case) -> Outcome {
        let errno = Int32(clamping: -fault.answer)
        let isForEver = fault.times == .max
        switch fault.call {
        case .wait:
            switch errno {
            case EINTR, EAGAIN: return isForEver ? .ends(.failed, errno: errno) : .unnoticed
            case 1...: return .ends(.failed, errno: errno)
            // It waits in vain, or not at all: the device is looked at all the same.
            default: return .unnoticed
            }
        case .events:
            switch fault.answer {
            case Int(POLLHUP), Int(POLLNVAL): return .ends(.unplugged, errno: ENODEV)
            // Without an event the device is looked at all the same, but less often; an error is told by the read.
            default: return .unnoticed
            }
        case .read:
            switch errno {
            case EAGAIN, EINTR, 0: return isForEver ? .ends(.silent, errno: 0) : .unnoticed
            case EPIPE, ESTRPIPE, EBADFD: return isForEver ? .ends(.unplugged, errno: errno) : .gap
            case ENODEV: return .ends(.unplugged, errno: ENODEV)
            case 1...: return isForEver ? .ends(.failed, errno: errno) : .gap
            default: return .unnoticed
            }
        case .state:
            // Asked for after a quarter of a second without sound.
            switch UInt32(fault.answer) {
            case SND_PCM_STATE_DISCONNECTED.rawValue: return .ends(.unplugged, errno: ENODEV)
            default: return .gap
            }
        // At the end only.
        case .avail: return .unnoticed
        case .prepare:
            switch errno {
            case EINTR, EAGAIN: return fault.times >= 3 ? .ends(.unplugged, errno: errno) : .gap
            default: return .ends(.unplugged, errno: errno)
            }
        case .start:
            switch errno {
            case EPIPE, EBADFD, ENODEV, ESTRPIPE: return fault.times >= 3 ? .ends(.unplugged, errno: errno) : .gap
            default: return fault.times >= 3 ? .ends(.failed, errno: errno) : .gap
            }
        // Where it can't be resumed it is started anew.
        case .resume: return .gap
        case .now: return .unnoticed
        }
    }

    static func plan(_ fault: Case) -> FakeDevicePlan {
        FakeDevicePlan { plan in
            plan.faults = [FakeDevicePlan.Fault(call: fault.call, answer: fault.answer, time: 0.5, times: fault.times)]
            // It sounds on while nobody hears it.
            if case .ends = outcome(fault) { plan.frameCount = 320_000 }
            switch fault.call {
            // These are called when something else has happened.
            case .prepare, .start: plan.mishaps = [.init(kind: .standstill, duration: 1.1)]
            case .resume: plan.mishaps = [.init(kind: .suspension, duration: 0.1)]
            case .state: plan.mishaps = [.init(kind: .pause, duration: 0.3)]
            default: break
            }
        }
    }

    @Test(
        "has the expected end, keeps all earlier samples, and never makes the tap loop without waiting",
        arguments: cases)
    func faults(fault: Case) async throws {
        let expected = Self.outcome(fault)
        let device = FakeDevice(Self.plan(fault))

        let capture = try await Capture.whole(of: device, .fake(bufferDuration: 4))

        let figures = device.figures
        let missing = capture.statistics.samplesMissing
        // A pause is silence that nobody counts.
        let pause: Int64 = fault.call == .state ? 4_800 : 0
        let outcome: Outcome =
            if let error = capture.error {
                .ends(error.code, errno: error.errno)
            } else {
                missing > 0 ? .gap : .unnoticed
            }
        #expect(outcome == expected)
        // Half a second was heard before anything befell it; of a gap's sound nothing comes late or twice.
        #expect(figures.read.last.map { $0.upperBound >= 7_800 } == true)
        capture.expectTruth(device, tolerance: outcome == .gap ? 40 + pause : 0)
        if case .ends(let code, _) = outcome {
            #expect(
                figures.time <= (code == .silent ? 10.8 : fault.call == .start || fault.call == .prepare ? 2.7 : 1.6))
        } else {
            // The rest is heard, and only what is counted is missing.
            let heard = Int64(capture.samples.count)
            #expect(abs(heard + missing - 32_000) <= 40 + pause, "\(heard) heard, \(missing) missing")
            #expect(missing < 32_000)
        }
        #expect(figures.callsPerSecond.values.max()! < 3_500, "\(figures.callsPerSecond)")
    }

    @Test("is not opened again when it can't be started, and the error number is reported", arguments: errors)
    func startFails(errno: Int32) async throws {
        let device = FakeDevice { $0.faults = [.init(call: .start, answer: -Int(errno), time: 0)] }
        let tap = device.tap()
        #expect(await tap.refusal() == CaptureError(opening: "fake", result: -errno, messages: []))
        #expect(device.figures.closes == 1)
        #expect(await Capture.reading(tap).blocks.isEmpty)
        await tap.stop()
    }

    @Test(
        "counts as gone after a second in a suspended state from which it does not wake up", arguments: [true, false])
    func neverWakes(speaksUp: Bool) async throws {
        let device = FakeDevice {
            $0.speaksUp = speaksUp
            $0.mishaps = [.init(kind: .suspension, duration: 1_000)]
            $0.faults = [.init(call: .prepare, answer: -Int(ENODEV))]
        }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == CaptureError(.unplugged, device: "fake", errno: ENODEV))
        #expect(capture.statistics.suspensions == 1)
        #expect(device.figures.time < 2)
        capture.expectTruth(device)
    }

    @Test("captures again after the machine slept, and reports it", arguments: [true, false], [0.0, 0.3, 0.9])
    func sleepingMachine(speaksUp: Bool, duration: Double) async throws {
        let device = FakeDevice {
            $0.speaksUp = speaksUp
            $0.mishaps = [.init(kind: .suspension, duration: duration)]
        }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == nil)
        #expect(capture.statistics.suspensions == 1)
        #expect(capture.statistics.overruns == 0)
        capture.expectTruth(device, tolerance: 40)
        #expect(abs(capture.samples.count + Int(capture.statistics.samplesMissing) - 32_000) <= 40)
    }

    @Test(
        "that delivers nothing is polled four times a second, reported after 2.5 s, restarted after five and given up after ten"
    )
    func silent() async throws {
        let device = FakeDevice { $0.mishaps = [.init(kind: .pause, duration: 1_000)] }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == CaptureError(.silent, device: "fake"))
        let figures = device.figures
        #expect(abs(figures.time - 10.5) < 0.3)
        #expect(figures.calls[.prepare] == 1)
        #expect((1...40).contains(figures.callsPerSecond[3] ?? 0))
        #expect(capture.statistics.isStalled)
    }

    @Test("that delivers nothing more wakes the reader once, for the sound that makes no block")
    func silentReader() async throws {
        let device = FakeDevice { $0.mishaps = [.init(kind: .pause, duration: 1_000)] }
        let blocks = CaptureConfiguration(device: "fake", blockDuration: 10, bufferDuration: 12)
        _ = try await Capture.whole(of: device, blocks)
        // At the first sound, when no more comes, and at the end.
        #expect(device.figures.wakeUps == 3)
    }

    @Test("may pause for two seconds, as an idle sound server does: nothing is done and nothing is lost")
    func idle() async throws {
        let device = FakeDevice {
            $0.mishaps = [.init(kind: .delay, duration: 2)]; $0.bufferLength = 64_000
        }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == nil)
        #expect(device.figures.calls[.prepare] == nil)
        #expect(!capture.statistics.isStalled)
        capture.expectTruth(device)
        #expect(capture.samples.count == 32_000)
    }

    @Test("is unplugged while it holds samples: they are still captured")
    func goesWithSoundInIt() async throws {
        let device = FakeDevice {
            $0.faults = [.init(call: .events, answer: Int(POLLIN | POLLHUP))]
            $0.mishaps = [.init(kind: .standstill, duration: 0.3)]
        }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == CaptureError(.unplugged, device: "fake", errno: ENODEV))
        #expect(capture.samples.count >= 12_800)
        capture.expectTruth(device)
    }

    @Test("is unplugged: one error comes after all captured sound, at once, and the device is not called again")
    func unplugged() async throws {
        let device = FakeDevice { $0.mishaps = [.init(kind: .unplugging)] }
        let tap = device.tap()
        try await tap.start()
        let capture = await Capture.reading(tap)
        #expect(capture.error == CaptureError(.unplugged, device: "fake", errno: ENODEV))
        #expect(
            "\(try #require(capture.error))"
                == "the capture device fake is gone, unplugged or its sound server ended; what it heard before is kept")
        #expect(capture.samples.count >= 7_800)
        capture.expectTruth(device)
        await device.settled()
        #expect(device.figures.time < 0.6)
        // The end stays what it was.
        #expect(await Capture.reading(tap).error == capture.error)
        await tap.stop()
        #expect(await Capture.reading(tap).error == capture.error)
    }

    @Test(
        "is overrun when the tap is stopped: the samples that can't be read are counted", arguments: [EPIPE, ESTRPIPE])
    func overrunAtTheEnd(errno: Int32) async throws {
        let device = FakeDevice { $0.faults = [.init(call: .avail, answer: -Int(errno))] }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == nil)
        #expect(capture.statistics.overruns == (errno == EPIPE ? 1 : 0))
        #expect(capture.statistics.suspensions == (errno == ESTRPIPE ? 1 : 0))
    }

    @Test(
        "is gone and says that it was overrun, as that of a sound server: no sound is missing, however late it is noticed"
    )
    func goneAsAnOverrun() async throws {
        let device = FakeDevice {
            $0.faults = [.init(call: .read, answer: -Int(EPIPE)), .init(call: .prepare, answer: -Int(EIO))]
            $0.mishaps = [.init(kind: .standstill, duration: 0.3)]
        }
        let capture = try await Capture.whole(of: device)
        #expect(capture.error == CaptureError(.unplugged, device: "fake", errno: EIO))
        #expect(device.figures.calls[.prepare] == 1)
        #expect(capture.statistics.samplesMissing == 0)
        capture.expectTruth(device)
    }

    @Test("is read to its last frame when the tap is stopped, although signals interrupt the calls")
    func lastFrames() async throws {
        // More than a period waits at the end: the thread has not run, and is told to stop when it does.
        let device = FakeDevice { plan in
            plan.mishaps = [.init(kind: .standstill, duration: 0.4), .init(kind: .stop, time: 0.9)]
            plan.faults = [
                .init(call: .avail, answer: -Int(EINTR), time: 0.9, times: 2),
                .init(call: .read, answer: -Int(EINTR), time: 0.9, times: 3),
            ]
        }
        let tap = device.tap()
        try await tap.start()
        let capture = await Capture.reading(tap)
        #expect(capture.error == nil)
        capture.expectTruth(device)
        #expect(capture.samples.count >= 14_400 && capture.samples.count < 14_900)
        await tap.stop()
    }
}
