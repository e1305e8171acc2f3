import CALSA
import Glibc

/// The work of the capture thread, from the start of the device to its end. Everything that it needs is allocated
/// before: `run()` allocates nothing, locks nothing and waits only for the device, which the compiler checks.
struct CaptureLoop: ~Copyable {
    private let pcm: OpaquePointer
    /// Keeps alive what the loop works on through the unmanaged references: around these the compiler counts none, which could lock.
    private let owners: (SampleRing, CaptureGaps)
    private let ring: Unmanaged<SampleRing>
    private let gaps: Unmanaged<CaptureGaps>
    private let counters: CaptureCounters
    /// The eventfd that wakes the reader.
    private let wakeUp: Int32

    private let encoding: CaptureEncoding
    private let sampleRate: Int
    private let bytesPerFrame: Int
    private let channelCount: Int
    /// In frames.
    private let periodLength: Int
    private let bufferLength: Int

    // Made in init, freed in deinit, seen by nobody else.
    private let calls: UnsafeMutablePointer<capture_calls>
    /// The control eventfd, with which the tap wakes the thread, followed by the descriptors of the device.
    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    private let bytes: UnsafeMutableRawPointer
    private let frames: UnsafeMutableBufferPointer<Float>
    private let samples: UnsafeMutableBufferPointer<Int16>

    private var converter: SampleRateConverter
    private var meter: LevelMeter
    private var recovery: CaptureRecovery
    /// Samples until the capture ends by itself.
    private var samplesWanted: Int64
    private var timeline: CaptureTimeline
    private var clock: DeviceClock
    private var framesCaptured: Int64 = 0
    private var pace: ReaderPace

    init(
        _ device: borrowing CaptureDevice, ring: SampleRing, gaps: CaptureGaps, counters: CaptureCounters,
        control: Int32, wakeUp: Int32,
        converter: consuming SampleRateConverter, blockLength: Int, sampleLimit: Int64?
    ) {
        pcm = device.pcm
        owners = (ring, gaps)
        self.ring = .passUnretained(ring)
        self.gaps = .passUnretained(gaps)
        self.counters = counters
        self.wakeUp = wakeUp
        encoding = device.encoding
        sampleRate = device.sampleRate
        channelCount = device.channelCount
        bytesPerFrame = device.encoding.byteCount * device.channelCount
        periodLength = device.periodLength
        bufferLength = device.bufferLength
        calls = .allocate(capacity: 1)
        calls.initialize(to: device.calls)
        descriptors = .allocate(capacity: device.descriptors.count + 1)
        _ = descriptors.initialize(from: [pollfd(fd: control, events: Int16(POLLIN), revents: 0)] + device.descriptors)
        bytes = .allocate(byteCount: periodLength * bytesPerFrame, alignment: 16)
        // Some plug-ins leave the buffer as it was.
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: periodLength * bytesPerFrame)
        frames = .allocate(capacity: periodLength * channelCount)
        samples = .allocate(capacity: converter.capacity(forFrames: periodLength))
        samplesWanted = sampleLimit ?? .max
        pace = ReaderPace(block: blockLength, sampleRate: converter.outputRate)
        meter = LevelMeter(windowLength: converter.outputRate / 20)
        let now = capture_now(calls, device.pcm)
        timeline = CaptureTimeline(deviceRate: device.sampleRate, outputRate: converter.outputRate, now: now)
        clock = DeviceClock(now: now)
        recovery = CaptureRecovery(now: now)
        self.converter = converter
    }

    deinit {
        calls.deallocate()
        descriptors.deallocate()
        bytes.deallocate()
        frames.deallocate()
        samples.deallocate()
    }

    /// Starts the device.
    ///
    /// - Returns: 0 or a negative errno.
    @_noLocks
    mutating func start() -> Int32 {
        let result = capture_start(calls, pcm)
        let time = now
        timeline.started(at: time)
        clock = DeviceClock(now: time)
        recovery = CaptureRecovery(now: time)
        return result
    }

    /// Reads the device until it ends or the tap is stopped. On return the ring holds every sample, to the last one.
    @_noLocks
    mutating func run() -> CaptureEnd {
        var step = CaptureRecovery.Step.wait
        while samplesWanted > 0, !counters.stopRequested.load(ordering: .acquiring) {
            switch step {
            case .wait: step = wait()
            case .rest: step = rest()
            case .read: step = read(atMost: periodLength)
            case .inspect: step = recovery.afterInspection(capture_state(calls, pcm), isReadable: false, now: now)
            case .restart: step = restart()
            case .resume: step = resume()
            case .end(let end):
                // It may have gone with sound in it that is whole.
                if case .unplugged = end.reason, let failure = readWhatIsThere(isGone: true) { return finish(failure) }
                return finish(end)
            }
        }
        let failure = samplesWanted > 0 ? readWhatIsThere(isGone: false) : nil
        return finish(failure ?? CaptureEnd(reason: .stopped))
    }

    private var now: Int64 { capture_now(calls, pcm) }

    /// Waits for the device or the tap. Checks the device four times a second even if it signals nothing.
    private mutating func wait() -> CaptureRecovery.Step {
        let result = capture_wait(calls, pcm, descriptors.baseAddress, nfds_t(descriptors.count), 250)
        var events: UInt16 = 0
        if result > 0 {
            let failure = capture_events(
                calls, pcm, descriptors.baseAddress.unsafelyUnwrapped + 1, UInt32(descriptors.count - 1), &events)
            if failure < 0 { events = UInt16(POLLERR) }
        }
        let time = now
        timeline.looked(at: time)
        let step = recovery.afterWait(result, events: events, now: time)
        guard case .inspect = step else { return step }
        noteStall()
        // An error is told by the read, if the state does not tell it.
        return recovery.afterInspection(capture_state(calls, pcm), isReadable: result > 0, now: now)
    }

    /// Waits ten milliseconds, in which only the tap can wake the thread.
    private mutating func rest() -> CaptureRecovery.Step {
        let result = capture_wait(calls, pcm, descriptors.baseAddress, 1, 10)
        noteStall()
        return recovery.afterRest(result)
    }

    private mutating func read(atMost count: Int) -> CaptureRecovery.Step {
        let result = Int(capture_read(calls, pcm, bytes, snd_pcm_uframes_t(count)))
        let time = now
        timeline.read(result, of: count, isOutOfSound: result == 0 || result == -Int(EAGAIN), at: time)
        if result > 0, let failure = take(min(result, count), time) { return .end(failure) }
        if result < count { clock.emptied(at: time, frames: framesCaptured) }
        return recovery.afterRead(result, of: count, now: time)
    }

    private mutating func restart() -> CaptureRecovery.Step {
        countLoss(isSuspension: false)
        let prepared = capture_prepare(calls, pcm)
        let started = prepared < 0 ? 0 : capture_start(calls, pcm)
        if prepared >= 0, started >= 0 { noteGap() }
        return recovery.afterRestart(prepared: prepared, started: started)
    }

    private mutating func resume() -> CaptureRecovery.Step {
        countLoss(isSuspension: true)
        let result = capture_resume(calls, pcm)
        if result >= 0 { noteGap() }
        return recovery.afterResume(result, now: now)
    }

    private mutating func countLoss(isSuspension: Bool) {
        guard timeline.countsLoss() else { return }
        if isSuspension {
            counters.suspensions.add(1, ordering: .relaxed)
        } else {
            counters.overruns.add(1, ordering: .relaxed)
        }
    }

    private mutating func noteGap() {
        let time = now
        clock.wentOn(at: time)
        counters.samplesMissing.add(timeline.wentOn(at: time), ordering: .relaxed)
    }

    private mutating func noteStall() {
        let time = now
        let isStalled = recovery.isStalled(now: time)
        counters.isStalled.store(isStalled, ordering: .relaxed)
        clock.waited(until: time)
        if isStalled, pace.stall() { capture_wake(calls, pcm, wakeUp) }
    }

    /// Converts the frames that were read, and writes the samples to the ring.
    ///
    /// - Returns: why the capture can't go on, if the converter has failed.
    private mutating func take(_ count: Int, _ time: Int64) -> CaptureEnd? {
        if framesCaptured == 0 {
            let length = Int64(count) &* 1_000_000_000 / Int64(sampleRate)
            counters.startTime.store(capture_time_of_day() &- length, ordering: .relaxed)
        }
        announceGap()
        encoding.decode(bytes, count &* channelCount, into: frames.baseAddress.unsafelyUnwrapped)
        let done = converter.convertOrFail(
            UnsafeBufferPointer(start: UnsafePointer(frames.baseAddress), count: count &* channelCount), into: samples)
        framesCaptured &+= Int64(count)
        counters.framesCaptured.store(framesCaptured, ordering: .relaxed)
        counters.isStalled.store(false, ordering: .relaxed)
        timeline.soundCame()
        counters.firstSampleTime.store(timeline.firstTime(frames: framesCaptured), ordering: .relaxed)
        let rate = clock.soundCame(at: time, frames: framesCaptured)
        if rate > 0 { counters.measuredSampleRate.store(rate, ordering: .relaxed) }
        handOver(done.written)
        guard let failure = done.failure else { return nil }
        return CaptureEnd(reason: .conversionFailed, code: failure.libraryCode)
    }

    private mutating func handOver(_ count: Int) {
        let count = Int(min(Int64(count), samplesWanted))
        guard count > 0 else { return }
        samplesWanted &-= Int64(count)
        let written = UnsafeBufferPointer(start: UnsafePointer(samples.baseAddress), count: count)
        meter.add(written, to: counters.level)
        counters.samplesOfSilence.store(meter.zeroCount, ordering: .relaxed)
        ring._withUnsafeGuaranteedRef { $0.write(written) }
        if pace.add(written) { capture_wake(calls, pcm, wakeUp) }
    }

    /// Publishes a gap before the samples that follow it. If the queue has no room, the gap is published with later
    /// samples.
    private mutating func announceGap() {
        guard timeline.pendingGap > 0 else { return }
        let position = converter.samplesProduced &+ Int64(converter.samplesOwed)
        let length = timeline.pendingGap
        if gaps._withUnsafeGuaranteedRef({ $0.append(position: position, length: length) }) { timeline.gapAnnounced() }
    }

    /// Reads the sound that was captured before the tap was stopped or the device went, as far as the device still
    /// gives it.
    ///
    /// - Parameter isGone: whether the device is gone. Plug-ins say then that it was overrun, and nothing sounds that it could lose.
    /// - Returns: why the capture can't go on, if the converter has failed.
    private mutating func readWhatIsThere(isGone: Bool) -> CaptureEnd? {
        var rest = bufferLength
        var attempts = 8
        while rest > 0, samplesWanted > 0, attempts > 0 {
            var result = min(Int(capture_avail(calls, pcm)), min(rest, periodLength))
            if result > 0 { result = min(result, Int(capture_read(calls, pcm, bytes, snd_pcm_uframes_t(result)))) }
            if result > 0 {
                let time = now
                timeline.read(result, of: result, isOutOfSound: false, at: time)
                if let failure = take(result, time) { return failure }
                rest &-= result
            } else if result == -Int(EINTR) || result == -Int(EAGAIN) {
                // Broken off by a signal, most likely.
                attempts &-= 1
            } else {
                if !isGone, result == -Int(EPIPE) || result == -Int(ESTRPIPE) {
                    countLoss(isSuspension: result == -Int(ESTRPIPE))
                    noteGap()
                }
                return nil
            }
        }
        return nil
    }

    /// Writes the rest of the converter's samples to the ring, and then the end of the capture.
    private mutating func finish(_ end: CaptureEnd) -> CaptureEnd {
        var end = end
        while samplesWanted > 0, converter.samplesOwed > 0 {
            let done = converter.finishOrFail(into: samples)
            handOver(done.written)
            if let failure = done.failure {
                end = CaptureEnd(reason: .conversionFailed, code: failure.libraryCode)
                break
            }
        }
        counters.end.store(end.packed(), ordering: .releasing)
        capture_wake(calls, pcm, wakeUp)
        return end
    }
}
