import CALSA
import Glibc
import Synchronization
import TestSupport

@testable import Audio

/// A capture device behind the tap's own table of calls. It has a clock of its own, which only calls move: to wait takes no real time.
/// What it gives follows from that clock as with a sound card: a frame is there when its time has come, too many that nobody
/// has read are an overrun, and what sounds while the device is not running is lost.
///
/// When its sound is over it waits really, until the tap is stopped.
final class FakeDevice: Sendable {
    let plan: FakeDevicePlan
    private let state: Mutex<State>
    private let isSettled = Awaited(false)

    private struct State {
        var time = epoch
        /// When frame 0 sounded: at the first start. What a device has lost before it was ever read is lost all the same.
        var origin = epoch
        var hasStarted = false
        /// The first frame that has not been read.
        var next = 0
        var condition = SND_PCM_STATE_PREPARED
        var pendingMishaps: [FakeDevicePlan.Mishap]
        /// From when on frames are kept back, and until when; or don't sound at all.
        var silence: (start: Int64, end: Int64, keeps: Bool)?
        /// Nanoseconds in which the device gave no frames, before the silence of now.
        var silentTime: Int64 = 0
        var wakesAt: Int64?
        var faults: [(fault: FakeDevicePlan.Fault, left: Int)]
        var figures = Figures()
        var giveUp: (@Sendable () -> Void)?
    }

    /// What befell the device.
    struct Figures: Sendable {
        /// How often the reader was woken.
        var wakeUps = 0
        /// Calls by name.
        var calls: [FakeDevicePlan.Call: Int] = [:]
        /// Calls in each second of the device's clock.
        var callsPerSecond: [Int: Int] = [:]
        /// The frames that were read, in order.
        var read: [Range<Int>] = []
        /// Restarts since sound last came.
        var restartsInSilence = 0
        var closes = 0
        /// Seconds on the device's clock since it was opened.
        var time = 0.0
        /// Whether it had to break off a tap that went on for ever, or called without end.
        var brokeOff = false
    }

    private static let epoch: Int64 = 1_000_000_000_000
    /// More than this in one second of the device's clock is a spin.
    private static let callLimit = 20_000
    /// Seconds after which the tap should have ended.
    private static let timeLimit = 60.0

    init(_ plan: FakeDevicePlan) {
        self.plan = plan
        state = Mutex(State(pendingMishaps: plan.mishaps, faults: plan.faults.map { ($0, $0.times) }))
    }

    convenience init(_ change: (inout FakeDevicePlan) -> Void) { self.init(FakeDevicePlan(change)) }

    var figures: Figures { state.withLock { $0.figures } }

    /// What the tap is told on opening.
    var device: CaptureDevice {
        CaptureDevice(
            pcm: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), calls: Self.calls,
            close: { Self.at($0).close() },
            encoding: plan.encoding, sampleRate: plan.sampleRate, channelCount: plan.channelCount,
            periodLength: plan.periodLength, bufferLength: plan.bufferLength,
            descriptors: [pollfd(fd: -1, events: Int16(POLLIN), revents: 0)], isHardware: false)
    }

    func tap(_ configuration: CaptureConfiguration = .fake()) -> CaptureTap {
        // A machine that is busy with other tests is no device that is stuck.
        let tap = CaptureTap(configuration, stopLimit: .seconds(100)) { [self] _ throws(CaptureError) in device }
        let session = tap.blocks.session
        state.withLock { $0.giveUp = { [weak session] in session?.requestStop() } }
        return tap
    }

    /// Returns when its sound is over, or it was closed or given up.
    func settled() async { await isSettled.wait { $0 } }

    private func settle() { isSettled.withLock { $0 = true } }

    private func close() {
        state.withLock { $0.figures.closes += 1 }
        settle()
    }

    // MARK: The calls

    private static func at(_ pcm: OpaquePointer?) -> FakeDevice {
        Unmanaged<FakeDevice>.fromOpaque(UnsafeRawPointer(pcm!)).takeUnretainedValue()
    }

    private static let calls = capture_calls(
        wait: { at($0).wait($1!, Int($2), milliseconds: $3) },
        events: { pcm, _, _, events in at(pcm).events(events!) },
        read: { at($0).read($1!, Int($2)) },
        avail: { at($0).avail() },
        state: { at($0).condition() },
        prepare: { at($0).prepare() },
        start: { at($0).start() },
        resume: { at($0).resume() },
        now: { at($0).now() },
        wake: { at($0).wake($1) })

    private func wake(_ descriptor: Int32) {
        state.withLock { $0.figures.wakeUps += 1 }
        capture_write_wake_up(descriptor)
    }

    /// Counts a call, lets the time pass that it takes, and what happens in that time.
    ///
    /// - Returns: what the plan has it answer.
    private func enter(_ call: FakeDevicePlan.Call, _ state: inout State) -> Int? {
        state.time += 1_000
        state.figures.time = Double(state.time - Self.epoch) / 1e9
        state.figures.calls[call, default: 0] += 1
        let second = plan.isWatched ? Int(state.figures.time) : 0
        state.figures.callsPerSecond[second, default: 0] += 1
        if plan.isWatched,
            state.figures.callsPerSecond[second]! > Self.callLimit || state.figures.time > Self.timeLimit,
            !state.figures.brokeOff
        {
            state.figures.brokeOff = true
            state.giveUp?()
        }
        while let mishap = state.pendingMishaps.first, mishap.time <= state.figures.time {
            state.pendingMishaps.removeFirst()
            befall(mishap, &state)
        }
        if let silence = state.silence, state.time >= silence.end {
            if !silence.keeps { state.silentTime += silence.end - silence.start }
            state.silence = nil
        }
        if state.condition == SND_PCM_STATE_RUNNING, available(state) > plan.bufferLength {
            state.condition = SND_PCM_STATE_XRUN
        }
        guard !state.figures.brokeOff,
            let index = state.faults.firstIndex(where: {
                $0.fault.call == call && $0.fault.time <= state.figures.time && $0.left > 0
            })
        else { return nil }
        state.faults[index].left -= 1
        return state.faults[index].fault.answer
    }

    private func befall(_ mishap: FakeDevicePlan.Mishap, _ state: inout State) {
        let duration = Int64(mishap.duration * 1e9)
        switch mishap.kind {
        case .standstill: state.time += duration
        case .pause: state.silence = (state.time, state.time + duration, false)
        case .delay: state.silence = (state.time, state.time + duration, true)
        case .suspension:
            state.condition = SND_PCM_STATE_SUSPENDED
            state.wakesAt = state.time + duration
        case .unplugging: state.condition = SND_PCM_STATE_DISCONNECTED
        case .stop: state.giveUp?()
        }
    }

    /// The frame that sounds now.
    private func current(_ state: State) -> Int {
        var time = state.time
        if let silence = state.silence { time = min(time, silence.start) }
        return min(plan.frameCount, Int(Double(time - state.origin - state.silentTime) * plan.trueRate / 1e9))
    }

    /// When so many frames have sounded, or the silence of now is over.
    private func time(ofFrame count: Int, _ state: State) -> Int64 {
        if let silence = state.silence { return silence.end }
        return max(
            state.time, state.origin + state.silentTime + Int64((Double(count) * 1e9 / plan.trueRate).rounded(.up)))
    }

    private func available(_ state: State) -> Int { max(0, current(state) - state.next) }

    private func wait(_ descriptors: UnsafeMutablePointer<pollfd>, _ count: Int, milliseconds: Int32) -> Int32 {
        plan.gate?()
        enum Outcome { case answer(Int32), sleep }
        let outcome = state.withLock { state -> Outcome in
            let answer = enter(.wait, &state)
            if let answer, answer < 0 { return .answer(Int32(answer)) }
            descriptors[0].revents = 0
            if poll(descriptors, 1, 0) > 0 { return .answer(1) }
            let end = state.time + Int64(milliseconds) * 1_000_000
            guard count > 1 else {
                state.time = end
                return .answer(0)
            }
            if state.condition == SND_PCM_STATE_RUNNING, state.next >= plan.frameCount { return .sleep }
            if let answer {
                if answer == 0 { state.time = end }
                return .answer(Int32(answer))
            }
            switch state.condition {
            case SND_PCM_STATE_RUNNING:
                let wanted = min(plan.periodLength, plan.frameCount - state.next)
                if available(state) < wanted { state.time = min(end, time(ofFrame: state.next + wanted, state)) }
                return .answer(available(state) > 0 ? 1 : 0)
            case SND_PCM_STATE_PREPARED:
                // It does not run, and so says nothing.
                state.time = end
                return .answer(0)
            case SND_PCM_STATE_SUSPENDED where !plan.speaksUp:
                state.time = end
                return .answer(0)
            default: return .answer(1)
            }
        }
        switch outcome {
        case .answer(let answer): return answer
        case .sleep:
            settle()
            return poll(descriptors, 1, -1)
        }
    }

    private func events(_ events: UnsafeMutablePointer<UInt16>) -> Int32 {
        state.withLock { state in
            if let answer = enter(.events, &state) {
                if answer < 0 { return Int32(answer) }
                events.pointee = UInt16(answer)
                return 0
            }
            switch state.condition {
            case SND_PCM_STATE_RUNNING: events.pointee = available(state) > 0 ? UInt16(POLLIN) : 0
            case SND_PCM_STATE_DISCONNECTED: events.pointee = UInt16(POLLIN | POLLERR)
            default: events.pointee = UInt16(POLLERR)
            }
            return 0
        }
    }

    private func read(_ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
        state.withLock { state in
            var count = count
            if let answer = enter(.read, &state) {
                if answer == -Int(EPIPE) { state.condition = SND_PCM_STATE_XRUN }
                if answer == -Int(ESTRPIPE) { state.condition = SND_PCM_STATE_SUSPENDED }
                guard answer > 0 else { return answer }
                count = min(answer, count)
            }
            if let error = error(state) { return error }
            let available = available(state)
            guard available > 0 else { return -Int(EAGAIN) }
            count = min(count, available)
            let frames = state.next..<state.next + count
            plan.write(frames, to: buffer)
            state.next = frames.upperBound
            state.figures.restartsInSilence = 0
            if plan.isWatched { state.figures.read.append(frames) }
            return count
        }
    }

    private func error(_ state: State) -> Int? {
        switch state.condition {
        case SND_PCM_STATE_RUNNING: nil
        case SND_PCM_STATE_XRUN: -Int(EPIPE)
        case SND_PCM_STATE_SUSPENDED: -Int(ESTRPIPE)
        case SND_PCM_STATE_DISCONNECTED: -Int(ENODEV)
        default: -Int(EBADFD)
        }
    }

    private func avail() -> Int {
        state.withLock { state in enter(.avail, &state) ?? error(state) ?? available(state) }
    }

    private func condition() -> snd_pcm_state_t {
        state.withLock { state in enter(.state, &state).map { snd_pcm_state_t(UInt32($0)) } ?? state.condition }
    }

    private func prepare() -> Int32 {
        state.withLock { state in
            if let answer = enter(.prepare, &state) { return Int32(answer) }
            if state.condition == SND_PCM_STATE_DISCONNECTED { return -ENODEV }
            state.condition = SND_PCM_STATE_PREPARED
            state.figures.restartsInSilence += 1
            return 0
        }
    }

    private func start() -> Int32 {
        state.withLock { state in
            if let answer = enter(.start, &state) { return Int32(answer) }
            guard state.condition == SND_PCM_STATE_PREPARED else { return -EBADFD }
            if !state.hasStarted { state.origin = state.time }
            state.hasStarted = true
            run(&state)
            return 0
        }
    }

    private func resume() -> Int32 {
        state.withLock { state in
            if let answer = enter(.resume, &state) { return Int32(answer) }
            if let wakesAt = state.wakesAt, state.time < wakesAt { return -EAGAIN }
            run(&state)
            return 0
        }
    }

    /// From now on it runs: what sounded before is gone.
    private func run(_ state: inout State) {
        state.condition = SND_PCM_STATE_RUNNING
        state.next = current(state)
    }

    private func now() -> Int64 {
        state.withLock { state in
            _ = enter(.now, &state)
            return state.time
        }
    }
}
