import Glibc
import Synchronization

/// Restores a terminal's settings on every way out of the program: `exit`, a signal, a crash; but not after SIGKILL, or when a
/// thread has used up its stack. There is one terminal.
///
/// Everything that the signal handler needs is prepared before it is installed; it neither allocates nor locks, and calls only
/// functions that POSIX allows there.
enum TerminalGuard {
    /// The terminal, and its settings to restore.
    private struct Held {
        var descriptor: Int32 = -1
        var settings = termios()
    }

    // Written only by `arm`, before it sets `isArmed` with release; read only by the thread that then clears `isArmed`.
    nonisolated(unsafe) private static let held = {
        let memory = UnsafeMutablePointer<Held>.allocate(capacity: 1)
        memory.initialize(to: Held())
        return memory
    }()

    /// The earlier handlers of the signals. Written once, before these handlers are installed.
    nonisolated(unsafe) private static let previous = {
        let memory = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        memory.initialize(repeating: sigaction(), count: 65)
        return memory
    }()

    private static let isArmed = Atomic(false)
    private static let isInstalled = Atomic(false)

    /// Turns bracketed paste off, wrapping on and attributes off, and shows the cursor.
    private static let calm: StaticString = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h"
    private static let farewell: StaticString = "\u{1B}[999B\n"
    private static let fatalSignals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT, SIGSYS]

    /// Whether there is a terminal to restore.
    static var isHolding: Bool { isArmed.load(ordering: .acquiring) }

    /// Makes every way out restore these settings of a terminal.
    static func arm(descriptor: Int32, settings: termios) {
        precondition(!isArmed.load(ordering: .acquiring), "a terminal is held already")
        held.pointee = Held(descriptor: descriptor, settings: settings)
        install()
        isArmed.store(true, ordering: .releasing)
    }

    /// Restores the terminal's settings, if there is one to restore. Safe in a signal handler, and from any thread. tcsetattr(3)
    ///
    /// A terminal whose foreground is another job is left alone.
    ///
    /// - Parameter leaves: whether to move the cursor to a new line below everything that is drawn.
    static func restore(leaves: Bool = false) {
        guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        let descriptor = held.pointee.descriptor
        let foreground = tcgetpgrp(descriptor)
        // -1: it isn't the terminal of this session, so no jobs share it.
        guard foreground < 0 || foreground == getpgrp() else { return }
        _ = write(descriptor, calm.utf8Start, calm.utf8CodeUnitCount)
        if leaves { _ = write(descriptor, farewell.utf8Start, farewell.utf8CodeUnitCount) }
        while tcsetattr(descriptor, TCSANOW, &held.pointee.settings) < 0 && errno == EINTR {}
    }

    /// A signal handler that restores the terminal, calls the earlier handler and ends this process by the signal.
    static let restoreAndEnd: @convention(c) (Int32) -> Void = { number in
        TerminalGuard.restore(leaves: true)
        sigaction(number, TerminalGuard.previous + Int(number), nil)
        // Unblocked, since threads of Dispatch block most signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // The earlier handler, such as Swift's backtracer, may return, because it expects the fault to come again.
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Initializes the static properties that the handler uses, which a handler must not do. Call this before `restoreAndEnd` is
    /// installed.
    static func prepare() {
        _ = (calm, farewell, previous, held, restoreAndEnd, isArmed.load(ordering: .relaxed))
    }

    /// Handles the signals of crashes from now on.
    static func install() {
        guard !isInstalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        prepare()
        atexit { TerminalGuard.restore() }
        for number in fatalSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = restoreAndEnd
            // The signal is not blocked in its handler, so that raising it again ends this process at once.
            action.sa_flags = Int32(bitPattern: UInt32(SA_NODEFER) | UInt32(SA_ONSTACK))
            sigaction(number, nil, previous + Int(number))
            let handler = previous[Int(number)].__sigaction_handler.sa_handler
            // An ignored signal stays ignored; a real fault ends this process nevertheless.
            if unsafeBitCast(handler, to: Int.self) == 1 { continue }
            sigaction(number, &action, nil)
        }
    }
}
