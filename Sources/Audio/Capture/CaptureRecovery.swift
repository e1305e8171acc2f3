import CALSA
import Glibc

/// What to do about what a capture device answers. Pure state: it is told the answers and the time, and says the next step. Nothing in
/// here allocates or waits.
///
/// Two things end a wait for a device that has died without saying so: a restart that brings no sound, several times in
/// a row, and a clock. Whatever a device answers, and were it the same for ever, steps that take no time are few until one comes
/// that does, or the end.
struct CaptureRecovery {
    enum Step: Equatable {
        /// Wait until the device has something to say.
        case wait
        /// Wait a moment for nothing: the device says it has something, and has not.
        case rest
        case read
        /// Ask the device for its state.
        case inspect
        /// snd_pcm_prepare and snd_pcm_start: sound was lost.
        case restart
        /// snd_pcm_resume.
        case resume
        case end(CaptureEnd)
    }

    /// After how many restarts in a row without any sound the device is taken for gone.
    static var restartLimit: Int { 3 }
    /// How many empty wake-ups in a row are taken for chance.
    static var emptyWakeUpLimit: Int { 8 }
    /// How many waits in a row may be broken off by a signal.
    static var brokenWaitLimit: Int { 1000 }
    /// Nanoseconds without sound after which the device counts as stalled; after which it is started anew; and after which it is given up.
    /// An idle PulseAudio sink's monitor speaks every two seconds.
    static var stallNotice: Int64 { 1_000_000_000 }
    static var stallRestart: Int64 { 5_000_000_000 }
    static var stallLimit: Int64 { 10_000_000_000 }
    /// Nanoseconds that a suspended device may take to wake up.
    static var resumeLimit: Int64 { 1_000_000_000 }

    private var restarts = 0
    private var resumes = 0
    private var emptyWakeUps = 0
    private var brokenWaits = 0
    /// Whether the device is read without having said anything.
    private var isUnasked = false
    private var lastSound: Int64
    private var restartedForStall = false
    private var resumeStart: Int64?

    /// - Parameter now: nanoseconds, as everywhere here.
    @_noLocks
    init(now: Int64) { lastSound = now }

    /// Whether nothing has come for a while.
    @_noLocks
    func isStalled(now: Int64) -> Bool { now &- lastSound >= Self.stallNotice }

    /// poll(2) has returned, or a negative errno.
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

    /// A rest is over: poll(2) has returned, or a negative errno.
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

    /// A read of up to `count` frames has returned so many, or an error.
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
        case ENODEV, ENXIO, ENOENT, EBADF: return .end(CaptureEnd(reason: .unplugged, code: Int32(truncatingIfNeeded: -result)))
        case let code: return restart(after: code)
        }
    }

    /// The device has told its state.
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

    /// snd_pcm_resume has returned.
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

    /// A restart has failed, or not. A device that can't even be prepared is gone.
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
        // Plug-ins say EPIPE of a device that is gone.
        let isGone = code == EPIPE || code == ENODEV || code == EBADFD || code == ESTRPIPE
        return .end(CaptureEnd(reason: isGone ? .unplugged : .failed, code: code))
    }

    /// To read is to look: there are devices that have sound and don't say so.
    @_noLocks
    private mutating func look(isUnasked: Bool) -> Step {
        self.isUnasked = isUnasked
        return .read
    }

    /// The device had nothing.
    @_noLocks
    private mutating func empty(now: Int64) -> Step {
        if let step = stall(now: now) { return step }
        if isUnasked { return .wait }
        emptyWakeUps += 1
        return emptyWakeUps <= Self.emptyWakeUpLimit ? .wait : .rest
    }

    /// What to do when nothing has come for too long.
    @_noLocks
    private mutating func stall(now: Int64) -> Step? {
        let quiet = now &- lastSound
        if quiet >= Self.stallLimit { return .end(CaptureEnd(reason: .silent, code: 0)) }
        guard quiet >= Self.stallRestart, !restartedForStall else { return nil }
        restartedForStall = true
        return .restart
    }
}
