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
    private let outputRate: Int
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
    /// When sound last came, in nanoseconds.
    private var lastSound: Int64
    /// When the last frame that was read sounded, in nanoseconds.
    private var soundTime: Int64
    /// When the device was last waited for or read, in nanoseconds.
    private var lastLook: Int64
    /// Whether the last read got all that it asked for.
    private var wasReadFull = false
    /// Samples that went missing and for which there was no room among the gaps yet.
    private var pendingGap: Int64 = 0
    /// Whether what is missing since the last sound is among the overruns or suspensions.
    private var isLossCounted = false
    /// From where on the device's rate is measured: nanoseconds, and frames.
    private var anchorTime: Int64 = 0
    private var anchorFrames: Int64 = 0
    /// In Hz, over the stretch before; 0 when there was none.
    private var lastRate = 0.0
    private var framesCaptured: Int64 = 0

    init(
        _ device: CaptureDevice, ring: SampleRing, gaps: CaptureGaps, counters: CaptureCounters, control: Int32, wakeUp: Int32,
        converter: consuming SampleRateConverter, sampleLimit: Int64?
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
        outputRate = converter.outputRate
        calls = .allocate(capacity: 1)
        calls.initialize(to: device.calls)
        descriptors = .allocate(capacity: device.descriptors.count + 1)
        _ = descriptors.initialize(from: [pollfd(fd: control, events: Int16(POLLIN), revents: 0)] + device.descriptors)
        bytes = .allocate(byteCount: periodLength * bytesPerFrame, alignment: 16)
        // Some plug-ins leave the buffer as it was.
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: periodLength * bytesPerFrame)
        frames = .allocate(capacity: periodLength * channelCount)
        samples = .allocate(capacity: converter.capacity(forFrames: periodLength))
        self.converter = converter
        samplesWanted = sampleLimit ?? .max
        meter = LevelMeter(windowLength: outputRate / 20)
        lastSound = capture_now(calls, device.pcm)
        soundTime = lastSound
        lastLook = lastSound
        recovery = CaptureRecovery(now: lastSound)
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
        lastSound = now
        soundTime = lastSound
        recovery = CaptureRecovery(now: lastSound)
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
                if case .unplugged = end.reason, let failure = readWhatIsThere() { return finish(failure) }
                return finish(end)
            }
        }
        let failure = samplesWanted > 0 ? readWhatIsThere() : nil
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
        lastLook = now
        let step = recovery.afterWait(result, events: events, now: lastLook)
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
        noteSound(result, of: count, time)
        if result > 0, let failure = take(min(result, count), time) { return .end(failure) }
        if result < count { anchor(time) }
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

    /// Counts a loss once, however often the device must be restarted before sound comes again.
    private mutating func countLoss(isSuspension: Bool) {
        guard !isLossCounted else { return }
        isLossCounted = true
        if isSuspension {
            counters.suspensions.add(1, ordering: .relaxed)
        } else {
            counters.overruns.add(1, ordering: .relaxed)
        }
    }

    /// Estimates when the frames of a read had sounded. The clock alone is not enough: the thread may be held up after
    /// the read, and a device that has more frames is late. The duration of the frames gives a better estimate, as long
    /// as the device is read empty now and then.
    private mutating func noteSound(_ result: Int, of count: Int, _ time: Int64) {
        if result > 0 { soundTime = min(soundTime &+ Int64(result) &* 1_000_000_000 / Int64(sampleRate), time) }
        // It had nothing more when it was read, and that was after the last look.
        let isEmpty = result > 0 ? result < count : wasReadFull && (result == 0 || result == -Int(EAGAIN))
        if isEmpty { soundTime = max(soundTime, lastLook) }
        wasReadFull = result == count
        lastLook = time
    }

    /// Records a gap: the device has lost the sound after the last frame that was read.
    private mutating func noteGap() {
        let time = now
        let length = (time &- soundTime) / 1000 &* Int64(outputRate) / 1_000_000
        lastSound = time
        soundTime = time
        anchorTime = 0
        pendingGap &+= max(0, length)
        counters.samplesMissing.add(max(0, length), ordering: .relaxed)
    }

    private mutating func noteStall() {
        let time = now
        counters.isStalled.store(recovery.isStalled(now: time), ordering: .relaxed)
        // A device that pauses says nothing about its clock.
        if time &- lastSound >= 500_000_000 { anchorTime = 0 }
    }

    /// Converts the frames that were read, and writes the samples to the ring.
    ///
    /// - Returns: why the capture can't go on, if the converter has failed.
    private mutating func take(_ count: Int, _ time: Int64) -> CaptureEnd? {
        if framesCaptured == 0 {
            let length = Int64(count) &* 1_000_000_000 / Int64(sampleRate)
            counters.startTime.store(time &- length, ordering: .relaxed)
        }
        announceGap()
        encoding.decode(bytes, count &* channelCount, into: frames.baseAddress.unsafelyUnwrapped)
        let done = converter.convertOrFail(
            UnsafeBufferPointer(start: UnsafePointer(frames.baseAddress), count: count &* channelCount), into: samples)
        framesCaptured &+= Int64(count)
        counters.framesCaptured.store(framesCaptured, ordering: .relaxed)
        counters.isStalled.store(false, ordering: .relaxed)
        lastSound = time
        isLossCounted = false
        measureRate(time)
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
        capture_wake(calls, pcm, wakeUp)
    }

    /// Publishes a gap before the samples that follow it. If the queue has no room, the gap is published with later
    /// samples.
    private mutating func announceGap() {
        guard pendingGap > 0 else { return }
        let position = converter.samplesProduced &+ Int64(converter.samplesOwed)
        let length = pendingGap
        if gaps._withUnsafeGuaranteedRef({ $0.append(position: position, length: length) }) { pendingGap = 0 }
    }

    /// Begins to measure the device's rate: the device has nothing more to read, so its own clock decides what comes
    /// from now on. A device that always has more to read, such as a file, has no clock.
    private mutating func anchor(_ time: Int64) {
        guard anchorTime == 0 else { return }
        anchorTime = time
        anchorFrames = framesCaptured
    }

    /// Measures the device's sample rate by the system's clock. A rate counts only if two stretches of five seconds
    /// agree on it: sound that arrives late and all at once, as on an overloaded machine, makes one of them wrong.
    private mutating func measureRate(_ time: Int64) {
        let elapsed = time &- anchorTime
        guard anchorTime != 0, elapsed >= 5_000_000_000 else { return }
        let rate = Double(framesCaptured &- anchorFrames) * 1e9 / Double(elapsed)
        let difference = rate > lastRate ? rate - lastRate : lastRate - rate
        if difference < rate / 200 {
            counters.measuredSampleRate.store(Int((rate + lastRate) / 2), ordering: .relaxed)
        }
        lastRate = rate
        anchorTime = time
        anchorFrames = framesCaptured
    }

    /// Reads the sound that was captured before the tap was stopped or the device went, as far as the device still
    /// gives it.
    ///
    /// - Returns: why the capture can't go on, if the converter has failed.
    private mutating func readWhatIsThere() -> CaptureEnd? {
        var rest = bufferLength
        var attempts = 8
        while rest > 0, samplesWanted > 0, attempts > 0 {
            var result = min(Int(capture_avail(calls, pcm)), min(rest, periodLength))
            if result > 0 { result = min(result, Int(capture_read(calls, pcm, bytes, snd_pcm_uframes_t(result)))) }
            if result > 0 {
                let time = now
                noteSound(result, of: result, time)
                if let failure = take(result, time) { return failure }
                rest &-= result
            } else if result == -Int(EINTR) || result == -Int(EAGAIN) {
                // Broken off by a signal, most likely.
                attempts &-= 1
            } else {
                if result == -Int(EPIPE) || result == -Int(ESTRPIPE) {
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
