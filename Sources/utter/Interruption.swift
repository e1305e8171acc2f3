import Audio
import Dispatch
import Glibc
import Synchronization
import System

/// Handles SIGINT, SIGTERM and SIGHUP. The first signal ends input, and what was heard is finished and kept. The second one ends the
/// process as usual, or the third if `waitForSecond()` waits for the second, which may then be another one than the first. What comes
/// within a moment of the one before is no further signal: timeout(1) and other programs send theirs to the process and to its group.
/// Further SIGHUPs are ignored, for both the kernel and the shell send one when a terminal goes away. A SIGHUP that was ignored before
/// (nohup) stays ignored.
final class Interruption: Sendable {
    /// Becomes readable when the signal comes; nil when there were no descriptors left.
    private let pipe = Pipe()
    private let caught = Atomic<Int32>(0)
    /// The signals that came, a bit for each number.
    private let seen = Atomic<UInt64>(0)
    private let hasEnded = Atomic(false)
    /// Whether `waitForSecond()` waits.
    private let secondIsAwaited = Atomic(false)
    private let secondCame = Atomic(false)
    private let seconds = AsyncStream<Void>.makeStream()
    private let waiters = Mutex<[CheckedContinuation<Void, Never>]>([])
    // Set in init and only read afterwards.
    nonisolated(unsafe) private var sources: [any DispatchSourceSignal] = []

    /// Starts to handle the signals. When this returns, no signal is missed.
    init() {
        // Everything that a handler uses is initialized before the handler is installed.
        TerminalGuard.prepare()
        _ = (Self.endUnlessDoubled, Self.isDoubled, Self.moment)
        let registered = DispatchSemaphore(value: 0)
        var hangUp = sigaction()
        sigaction(SIGHUP, nil, &hangUp)
        let isHangUpIgnored = unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) == 1
        sources = (isHangUpIgnored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]).map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.take(number) }
            // Until the source is registered, a signal ends this process.
            source.setRegistrationHandler { registered.signal() }
            source.activate()
            return source
        }
        for _ in sources { registered.wait() }
    }

    deinit { for source in sources { source.cancel() } }

    private func take(_ number: Int32) {
        let isHangUp = number == SIGHUP
        let bit: UInt64 = 1 << UInt64(number)
        let earlier = seen.bitwiseOr(bit, ordering: .relaxed).oldValue
        let isAwaited = secondIsAwaited.load(ordering: .acquiring)
        // Where the second is awaited, it may be another one than the first.
        let isSecond = earlier & bit != 0 || isAwaited && earlier != 0
        if isHangUp { signal(number, SIG_IGN) }
        if isSecond, Self.isDoubled { return }
        Self.lastSignal.store(Self.milliseconds, ordering: .relaxed)
        if !isHangUp, isSecond || !isAwaited { signal(number, Self.endUnlessDoubled) }
        guard isSecond else { return interrupt(by: number) }
        // The last signal comes here if all threads block it; otherwise to the handler.
        let isThird = secondCame.exchange(true, ordering: .relaxed)
        if !isHangUp, !isAwaited || isThird { TerminalGuard.restoreAndEnd(number) }
        seconds.continuation.yield()
    }

    /// When the last signal came, on the system's monotonic clock, in milliseconds.
    private static let lastSignal = Atomic<Int64>(-moment)
    /// How long after a signal another is taken for the same one, in milliseconds.
    private static let moment: Int64 = 500

    /// Whether a signal that comes now is the last one once more. Safe in a signal handler. clock_gettime(2)
    private static var isDoubled: Bool { milliseconds < lastSignal.load(ordering: .relaxed) + moment }

    private static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The handler of a second signal.
    private static let endUnlessDoubled: @convention(c) (Int32) -> Void = { number in
        if !Interruption.isDoubled { TerminalGuard.restoreAndEnd(number) }
    }

    /// The number of the signal that came; nil when none has.
    var signalNumber: Int32? {
        let number = caught.load(ordering: .acquiring)
        return number == 0 ? nil : number
    }

    /// A source that ends after a signal, even while it waits for a pipe.
    func ending(_ source: FileByteSource) -> InterruptibleSource {
        InterruptibleSource(source: source, interruption: self)
    }

    private func interrupt(by number: Int32) {
        caught.store(number, ordering: .releasing)
        endInput()
    }

    /// Ends all input, as a signal does.
    func endInput() {
        hasEnded.store(true, ordering: .releasing)
        if let pipe { _ = write(pipe.writing, "!", 1) }
        let waiters = waiters.withLock { waiters in
            defer { waiters = [] }
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until a signal comes or `endInput()` is called.
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

    /// Waits for the second signal, which then does not end the process.
    ///
    /// - Returns: false when the task is cancelled before the signal comes.
    func waitForSecond() async -> Bool {
        secondIsAwaited.store(true, ordering: .releasing)
        defer { secondIsAwaited.store(false, ordering: .releasing) }
        return await seconds.stream.first { true } != nil
    }

    /// Whether a signal or `endInput()` has ended input.
    var hasEndedInput: Bool { hasEnded.load(ordering: .acquiring) }

    /// Waits until one of `descriptors` can be read, input is ended, or the time is over. poll(2)
    ///
    /// - Parameters:
    ///   - descriptors: the descriptors; negative ones are ignored.
    ///   - milliseconds: the longest time; a negative one is without limit.
    /// - Returns: whether each descriptor can be read or is at its end; nil when input is ended.
    func waitToRead(_ descriptors: [Int32], milliseconds: Int32 = -1) -> [Bool]? {
        var waits = (descriptors + [pipe?.reading ?? -1]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waits, nfds_t(waits.count), milliseconds) < 0 && errno == EINTR {}
        return waits.removeLast().revents != 0 ? nil : waits.map { $0.revents != 0 }
    }

    /// A source of bytes that ends after a signal.
    struct InterruptibleSource: ByteSource {
        fileprivate let source: FileByteSource
        fileprivate let interruption: Interruption

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            interruption.waitToRead([source.descriptor]) == nil ? 0 : try source.read(into: buffer)
        }
    }
}
