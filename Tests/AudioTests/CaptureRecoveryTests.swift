import CALSA
import Glibc
import Testing

@testable import Audio

@Suite("The reaction to a device's answers")
struct CaptureRecoveryTests {
    @Test("Whatever the next few answers are, every wait ends, polls are spaced, and restarts are few")
    func everyShortSequence() {
        var count = 0
        func explore(_ walk: Walk, _ depth: Int) {
            guard depth > 0 else { return }
            for answer in Answer.possible(to: walk.step) {
                var next = walk
                next.take(answer)
                count += 1
                if let complaint = next.complaint {
                    Issue.record("\(complaint): \(next.history)")
                    return
                }
                explore(next, depth - 1)
            }
        }
        explore(Walk(), 6)
        print("\(count) runs of answers")
        #expect(count > 20_000)
    }

    @Test("A device that gives no sound and always answers the same is given up in time, without a busy loop")
    func everySteadyDevice() {
        var count = 0
        for wait in Answer.waits {
            for read in Answer.reads where !read.isSound {
                for state in Answer.states {
                    for restart in Answer.restarts {
                        for resume in Answer.resumes {
                            var walk = Walk(keepsHistory: false)
                            var steps = 0
                            while walk.end == nil, steps < 10_000 {
                                steps += 1
                                switch walk.step {
                                case .wait: walk.take(wait)
                                case .rest: walk.take(.rested(0))
                                case .read: walk.take(read)
                                case .inspect: walk.take(state)
                                case .restart: walk.take(restart)
                                case .resume: walk.take(resume)
                                case .end: break
                                }
                            }
                            count += 1
                            let device = "\(wait) \(read) \(state) \(restart) \(resume)"
                            #expect(walk.end != nil, "never ends: \(device)")
                            #expect(walk.complaint == nil, "\(device)")
                            #expect(walk.time <= CaptureRecovery.stallLimit + 300_000_000, "\(device)")
                            // Rests of ten milliseconds, each with a read, or as many broken waits as are borne.
                            #expect(steps < 3_000, "\(device)")
                        }
                    }
                }
            }
        }
        #expect(count > 2_000)
    }

    @Test("After sound has come, earlier restarts no longer count")
    func soundForgives() {
        var recovery = CaptureRecovery(now: 0)
        for _ in 0..<100 {
            for _ in 0..<CaptureRecovery.restartLimit {
                #expect(recovery.afterRead(-Int(EPIPE), of: 160, now: 1) == .restart)
                #expect(recovery.afterRestart(prepared: 0, started: 0) == .wait)
            }
            #expect(recovery.afterRead(1, of: 160, now: 1) == .wait)
        }
    }

    @Test(
        "The end of a capture keeps its reason and error number in one word of memory",
        arguments: CaptureEnd.Reason.allCases)
    func packing(reason: CaptureEnd.Reason) {
        for code in [0, 1, ENODEV, .max, -1, .min] {
            let end = CaptureEnd(reason: reason, code: code)
            #expect(end.packed() != 0)
            #expect(CaptureEnd(packed: end.packed()) == end)
        }
        #expect(CaptureEnd(packed: 0) == nil)
    }
}

/// What a device may say to a step.
private enum Answer {
    case waited(Int32, events: Int32)
    case rested(Int32)
    case read(Int)
    case state(snd_pcm_state_t)
    case restarted(prepared: Int32, started: Int32)
    case resumed(Int32)

    static let waits: [Answer] =
        [.waited(0, events: 0), .waited(-EINTR, events: 0), .waited(-EINVAL, events: 0)]
        + [0, POLLIN, POLLERR, POLLIN | POLLERR, POLLHUP].map { .waited(1, events: $0) }
    static let reads: [Answer] =
        [160, 80].map { .read($0) } + [0, EAGAIN, EINTR, EPIPE, ESTRPIPE, ENODEV, EBADFD, EIO].map { .read(-Int($0)) }
    static let states: [Answer] = [
        SND_PCM_STATE_RUNNING, SND_PCM_STATE_XRUN, SND_PCM_STATE_SUSPENDED, SND_PCM_STATE_DISCONNECTED,
        SND_PCM_STATE_PREPARED,
    ].map { .state($0) }
    static let restarts: [Answer] =
        [(0, 0), (-EINTR, 0), (-ENODEV, 0), (0, -EPIPE), (0, -EIO)].map { .restarted(prepared: $0.0, started: $0.1) }
    static let resumes: [Answer] = [0, -EAGAIN, -ENOSYS, -ENODEV].map { .resumed($0) }

    static func possible(to step: CaptureRecovery.Step) -> [Answer] {
        switch step {
        case .wait: waits
        case .rest: [.rested(0), .rested(-EINTR)]
        case .read: reads
        case .inspect: states
        case .restart: restarts
        case .resume: resumes
        case .end: []
        }
    }

    var isSound: Bool { if case .read(let count) = self { count > 0 } else { false } }
}

/// A way through the recovery, as the capture loop walks it, and what must hold on it.
private struct Walk {
    var recovery = CaptureRecovery(now: 0)
    var step = CaptureRecovery.Step.wait
    /// Nanoseconds.
    var time: Int64 = 0
    var history: [Answer] = []
    var keepsHistory = true
    private(set) var complaint: String?
    private var restarts = 0
    /// Steps since the last that took time or brought sound.
    private var hurriedSteps = 0

    init(keepsHistory: Bool = true) { self.keepsHistory = keepsHistory }

    var end: CaptureEnd? { if case .end(let end) = step { end } else { nil } }

    mutating func take(_ answer: Answer) {
        if keepsHistory { history.append(answer) }
        hurriedSteps += 1
        switch (step, answer) {
        case (.wait, .waited(let result, let events)):
            time += result == 0 ? 250_000_000 : 1_000
            hurriedSteps = result == 0 ? 0 : hurriedSteps
            step = recovery.afterWait(result, events: UInt16(events), now: time)
        case (.rest, .rested(let result)):
            time += 10_000_000
            hurriedSteps = 0
            step = recovery.afterRest(result)
        case (.read, .read(let result)):
            if result > 0 { (hurriedSteps, restarts) = (0, 0) }
            step = recovery.afterRead(result, of: 160, now: time)
        case (.inspect, .state(let state)):
            // As after a wait that took its time, and after one that told of an error.
            let isReadable = if case .waited(0, _)? = history.dropLast().last { false } else { true }
            step = recovery.afterInspection(state, isReadable: isReadable, now: time)
        case (.restart, .restarted(let prepared, let started)):
            restarts += 1
            step = recovery.afterRestart(prepared: prepared, started: started)
        case (.resume, .resumed(let result)): step = recovery.afterResume(result, now: time)
        default: complaint = "\(answer) is no answer to \(step)"
        }
        // One more for a stall.
        if restarts > CaptureRecovery.restartLimit + 1 { complaint = "\(restarts) restarts without sound" }
        // Broken waits have a limit of their own, and no other steps come between.
        if hurriedSteps > CaptureRecovery.brokenWaitLimit + 1 { complaint = "\(hurriedSteps) steps without a wait" }
        if !isBrokenWait(answer), hurriedSteps > 60 { complaint = "\(hurriedSteps) steps without a wait" }
    }

    private func isBrokenWait(_ answer: Answer) -> Bool { if case .waited(..<0, _) = answer { true } else { false } }
}
