import CALSA
import Glibc

/// Decides what to do about the answers of a capture device. It is pure state: it takes an answer and the time, and
/// returns the next step. It neither allocates nor waits.
///
/// Two limits end the wait for a device that has died without an error: a number of restarts in a row that bring no
/// sound, and a time. Whatever a device answers, even if always the same, the steps that take no time are few before
/// one that does, or the end.
struct CaptureRecovery {
    enum Step: Equatable {
        /// Wait until the device signals.
        case wait
        /// Wait a moment for the tap only: the device signals sound but has none.
        case rest
        case read
        /// Read the state of the device.
        case inspect
        /// Call snd_pcm_prepare and snd_pcm_start: sound was lost.
        case restart
        /// Call snd_pcm_resume: the device was suspended.
        case resume
        case end(CaptureEnd)
    }

    /// The number of restarts in a row without sound after which the device counts as gone.
    static var restartLimit: Int { 3 }
    /// The number of empty wake-ups in a row after which a wait becomes a rest.
    static var emptyWakeUpLimit: Int { 8 }
    /// The number of waits in a row that signals may interrupt.
    static var brokenWaitLimit: Int { 1000 }
    /// Nanoseconds without sound after which the device counts as stalled. The monitor of an idle PulseAudio sink gives
    /// sound every two seconds.
    static var stallNotice: Int64 { 2_500_000_000 }
    /// Nanoseconds without sound after which the device is restarted.
    static var stallRestart: Int64 { 5_000_000_000 }
    /// Nanoseconds without sound after which the capture ends.
    static var stallLimit: Int64 { 10_000_000_000 }
    /// Nanoseconds for which a suspended device may take to resume.
    static var resumeLimit: Int64 { 1_000_000_000 }

    private var restarts = 0
    private var resumes = 0
    private var emptyWakeUps = 0
    private var brokenWaits = 0
    /// Whether the device is read although it has signalled nothing.
    private var isUnasked = false
    private var lastSound: Int64
    private var restartedForStall = false
    private var resumeStart: Int64?

    /// - Parameter now: the time in nanoseconds, as in every method here.
    @_noLocks
    init(now: Int64) { lastSound = now }

    /// Whether no sound has come for `stallNotice`.
    @_noLocks
    func isStalled(now: Int64) -> Bool { now &- lastSound >= Self.stallNotice }

    /// Returns the step after a wait, whose result is that of poll(2) or a negative errno.
    @_noLocks
    mutating func afterWait(_ result: Int32, events: UInt16, now: Int64) -> Step {
        if result < 0 { return brokenWait(-result) ?? .wait }
        brokenWaits = 0
        isUnasked = false
        if result == 0 { return .inspect }
        if events & UInt16(POLLHUP | POLLNVAL) != 0 { return .end(CaptureEnd(reason: .unplugged, code: ENODEV)) }
        if events & UInt16(POLLERR) != 0 { return .inspect }
        if events & UInt16(POLLIN) != 0 { return .read }
        return empty(now: now)
    }

    /// Returns the step after a rest, whose result is that of poll(2) or a negative errno.
    @_noLocks
    mutating func afterRest(_ result: Int32) -> Step {
        if result < 0, let end = brokenWait(-result) { return end }
        return resumeStart != nil ? .resume : .read
    }

    @_noLocks
    private mutating func brokenWait(_ code: Int32) -> Step? {
        brokenWaits += 1
        let isPassing = code == EINTR || code == EAGAIN
        return isPassing && brokenWaits <= Self.brokenWaitLimit ? nil : .end(CaptureEnd(reason: .failed, code: code))
    }

    /// Returns the step after a read of up to `count` frames, whose result is the number of frames or a negative errno.
    @_noLocks
    mutating func afterRead(_ result: Int, of count: Int, now: Int64) -> Step {
        if result > 0 {
            restarts = 0
            resumes = 0
            emptyWakeUps = 0
            restartedForStall = false
            resumeStart = nil
            lastSound = now
            return result < count ? .wait : .read
        }
        switch Int32(truncatingIfNeeded: -result) {
        case 0, EAGAIN, EINTR: return empty(now: now)
        case ESTRPIPE: return .resume
        case ENODEV, ENXIO, ENOENT, EBADF:
            return .end(CaptureEnd(reason: .unplugged, code: Int32(truncatingIfNeeded: -result)))
        case let code: return restart(after: code)
        }
    }

    /// Returns the step after the device has reported its state.
    @_noLocks
    mutating func afterInspection(_ state: snd_pcm_state_t, isReadable: Bool, now: Int64) -> Step {
        switch state {
        case SND_PCM_STATE_RUNNING: look(isUnasked: !isReadable)
        case SND_PCM_STATE_SUSPENDED: .resume
        case SND_PCM_STATE_DISCONNECTED: .end(CaptureEnd(reason: .unplugged, code: ENODEV))
        case SND_PCM_STATE_XRUN: restart(after: EPIPE)
        default: restart(after: EBADFD)
        }
    }

    /// Returns the step after snd_pcm_resume, which returned `result`.
    @_noLocks
    mutating func afterResume(_ result: Int32, now: Int64) -> Step {
        if result == 0 {
            resumeStart = nil
            resumes += 1
            return resumes <= Self.restartLimit ? .wait : restart(after: ESTRPIPE)
        }
        guard -result == EAGAIN else {
            resumeStart = nil
            return restart(after: -result)
        }
        let start = resumeStart ?? now
        resumeStart = start
        if now &- start < Self.resumeLimit { return .rest }
        resumeStart = nil
        return restart(after: ESTRPIPE)
    }

    /// Returns the step after a restart, which may have failed. A device that can't even be prepared is gone.
    @_noLocks
    mutating func afterRestart(prepared: Int32, started: Int32) -> Step {
        if prepared < 0 {
            let isPassing = -prepared == EINTR || -prepared == EAGAIN
            if isPassing, case .restart = restart(after: -prepared) { return .restart }
            return .end(CaptureEnd(reason: .unplugged, code: -prepared))
        }
        return started < 0 ? restart(after: -started) : .wait
    }

    @_noLocks
    private mutating func restart(after code: Int32) -> Step {
        restarts += 1
        if restarts <= Self.restartLimit { return .restart }
        // Plug-ins return EPIPE for a device that is gone.
        let isGone = code == EPIPE || code == ENODEV || code == EBADFD || code == ESTRPIPE
        return .end(CaptureEnd(reason: isGone ? .unplugged : .failed, code: code))
    }

    /// Reads the device, since that is how to find out: some devices have sound and don't signal it.
    @_noLocks
    private mutating func look(isUnasked: Bool) -> Step {
        self.isUnasked = isUnasked
        return .read
    }

    /// Returns the step after a read that gave nothing.
    @_noLocks
    private mutating func empty(now: Int64) -> Step {
        if let step = stall(now: now) { return step }
        if isUnasked { return .wait }
        emptyWakeUps += 1
        return emptyWakeUps <= Self.emptyWakeUpLimit ? .wait : .rest
    }

    /// Returns the step if no sound has come for too long; `nil` if it has.
    @_noLocks
    private mutating func stall(now: Int64) -> Step? {
        let quiet = now &- lastSound
        if quiet >= Self.stallLimit { return .end(CaptureEnd(reason: .silent, code: 0)) }
        guard quiet >= Self.stallRestart, !restartedForStall else { return nil }
        restartedForStall = true
        return .restart
    }
}
