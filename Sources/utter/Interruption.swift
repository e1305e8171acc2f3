import Audio
import Dispatch
import Glibc
import Synchronization

/// The first SIGINT, SIGTERM or SIGHUP asks for an orderly end: input stops, and what was heard is finished and kept. The second, or the
/// third where somebody waits for the second, ends the program as it always does, but for SIGHUP: of a terminal that goes away the kernel
/// tells us, and the shell once more. A SIGHUP that was ignored before us (nohup) stays so.
final class Interruption: Sendable {
    /// A pipe that becomes readable when the signal comes.
    private let readEnd: Int32
    private let writeEnd: Int32
    private let caught = Atomic<Int32>(0)
    /// A bit for each signal that came.
    private let seen = Atomic<UInt64>(0)
    private let hasEnded = Atomic(false)
    /// Whether somebody wants to know of the second signal, and whether it came.
    private let secondIsAwaited = Atomic(false)
    private let secondCame = Atomic(false)
    private let seconds = AsyncStream<Void>.makeStream()
    private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
    // Set in init and only read after that.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
        // What a handler uses must be there before it.
        TerminalGuard.prepare()
        let registered = DispatchSemaphore(value: 0)
        var hangUp = sigaction()
        sigaction(SIGHUP, nil, &hangUp)
        let isHangUpIgnored = unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) == 1
        sources = (isHangUpIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]).map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                guard let self else { return }
                if number == SIGHUP {
                    signal(number, SIG_IGN)
                } else {
                    let isSecond = seen.bitwiseOr(1 << UInt64(number), ordering: .relaxed).oldValue & 1 << UInt64(number) != 0
                    let isAwaited = secondIsAwaited.load(ordering: .acquiring)
                    if isSecond || !isAwaited { signal(number, TerminalGuard.restoreAndEnd) }
                    if isSecond {
                        // Where all threads block it, the last comes here as well; where one doesn't, there.
                        if !isAwaited || secondCame.exchange(true, ordering: .relaxed) { TerminalGuard.restoreAndEnd(number) }
                        seconds.continuation.yield()
                        return
                    }
                }
                interrupt(by: number)
            }
            // From then on none is missed; until then one ends us.
            source.setRegistrationHandler { registered.signal() }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    deinit {
        for source in sources { source.cancel() }
        close(readEnd)
        close(writeEnd)
    }

    /// The signal that came; `nil` when none has.
    var signalNumber: Int32? {
        let number = caught.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// `source`, which ends when the interruption comes, even while it waits for a pipe.
    ///
    /// - Parameter descriptor: what `source` reads.
    func ending(_ source: FileByteSource, reading descriptor: Int32) -> InterruptibleSource {
        InterruptibleSource(source: source, descriptor: descriptor, interruption: self)
    }

    private func interrupt(by number: Int32) {
        caught.store(number, ordering: .releasing)
        endInput()
    }

    /// Ends all input, as a signal does.
    func endInput() {
        hasEnded.store(true, ordering: .releasing)
        _ = write(writeEnd, "!", 1)
        let waiters = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when input is to end.
    func wait() async {
        await withCheckedContinuation { continuation in
            let mustWait = waiters.withLock { waiters in
                if hasEndedInput { return false }
                waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Waits for the second signal, which ends nothing then.
    ///
    /// - Returns: false when the task is cancelled before.
    func waitForSecond() async -> Bool {
        secondIsAwaited.store(true, ordering: .releasing)
        return await seconds.stream.first { true } != nil
    }

    /// Whether input ends for our sake, before its own end.
    var hasEndedInput: Bool { hasEnded.load(ordering: .acquiring) }

    /// Waits until one of `descriptors` can be read, until input is to end, or until the time is over. poll(2)
    ///
    /// - Parameters:
    ///   - descriptors: a negative one is left out.
    ///   - milliseconds: how long at most; negative is for ever.
    /// - Returns: for each whether it can be read, or is at its end; nil when input is to end.
    func waitToRead(_ descriptors: [Int32], milliseconds: Int32 = -1) -> [Bool]? {
        var waits = (descriptors + [readEnd]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waits, nfds_t(waits.count), milliseconds) < 0 && errno == EINTR {}
        return waits.removeLast().revents != 0 ? nil : waits.map { $0.revents != 0 }
    }

    struct InterruptibleSource: ByteSource {
        fileprivate let source: FileByteSource
        fileprivate let descriptor: Int32
        fileprivate let interruption: Interruption

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            interruption.waitToRead([descriptor]) == nil ? 0 : try source.read(into: buffer)
        }
    }
}
