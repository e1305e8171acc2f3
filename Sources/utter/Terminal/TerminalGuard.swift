import Glibc
import Synchronization

/// Gives a terminal back as it was, on every way out of the program: `exit`, a signal that ends us, a crash. Only SIGKILL can't
/// be helped, nor a thread that has used up its stack. There is one terminal.
///
/// What a signal handler needs is set up before it is installed; it allocates nothing, locks nothing, and calls
/// only what POSIX allows there.
enum TerminalGuard {
    /// What must be known to give the terminal back.
    private struct Held {
        var descriptor: Int32 = -1
        var settings = termios()
    }

    // Written by `arm` only, before `isArmed` is set with release and while nobody else may arm; read only by the one who takes
    // `isArmed` back.
    nonisolated(unsafe) private static let held = {
        let memory = UnsafeMutablePointer<Held>.allocate(capacity: 1)
        memory.initialize(to: Held())
        return memory
    }()

    /// What handled a signal before us. Written once, before our handlers are installed.
    nonisolated(unsafe) private static let previous = {
        let memory = UnsafeMutablePointer<sigaction>.allocate(capacity: 65)
        memory.initialize(repeating: sigaction(), count: 65)
        return memory
    }()

    private static let isArmed = Atomic(false)
    private static let isInstalled = Atomic(false)

    /// Bracketed paste off, wrapping on, no attributes, cursor shown.
    private static let calm: StaticString = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h"
    private static let farewell: StaticString = "\u{1B}[999B\n"
    private static let fatalSignals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT, SIGSYS]

    /// Whether a terminal is to be given back.
    static var isHolding: Bool { isArmed.load(ordering: .acquiring) }

    /// From now on the terminal behind `descriptor` is given back with `settings`.
    static func arm(descriptor: Int32, settings: termios) {
        precondition(!isArmed.load(ordering: .acquiring), "a terminal is held already")
        held.pointee = Held(descriptor: descriptor, settings: settings)
        install()
        isArmed.store(true, ordering: .releasing)
    }

    /// Gives the terminal back if one is held. Safe in a signal handler, and from any thread. tcsetattr(3)
    ///
    /// A terminal that has been given to another job is left alone.
    ///
    /// - Parameter leaves: goes to a new line below all that is drawn, where we have no better way to leave it.
    static func restore(leaves: Bool = false) {
        guard isArmed.exchange(false, ordering: .acquiringAndReleasing) else { return }
        let descriptor = held.pointee.descriptor
        let foreground = tcgetpgrp(descriptor)
        // -1: it isn't the terminal of our session, so no jobs share it.
        guard foreground < 0 || foreground == getpgrp() else { return }
        _ = write(descriptor, calm.utf8Start, calm.utf8CodeUnitCount)
        if leaves { _ = write(descriptor, farewell.utf8Start, farewell.utf8CodeUnitCount) }
        while tcsetattr(descriptor, TCSANOW, &held.pointee.settings) < 0 && errno == EINTR {}
    }

    /// A signal handler, or what is called in its place, that gives the terminal back and ends us by the signal, after whoever handled it before us.
    static let restoreAndEnd: @convention(c) (Int32) -> Void = { number in
        TerminalGuard.restore(leaves: true)
        CrashReport.tell(number)
        sigaction(number, TerminalGuard.previous + Int(number), nil)
        // Threads of Dispatch block most signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // Who handled it before us, such as Swift's backtracer, may count on the fault coming again, and return.
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Makes all that a handler uses, which must not be made in one. To be called before `restoreAndEnd` is installed.
    static func prepare() {
        CrashReport.makeAll()
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
            // Not blocked while it is handled, so that raising it again ends us at once.
            action.sa_flags = Int32(bitPattern: UInt32(SA_NODEFER) | UInt32(SA_ONSTACK))
            sigaction(number, nil, previous + Int(number))
            let handler = previous[Int(number)].__sigaction_handler.sa_handler
            // Whoever ignores one of these has reasons, but the kernel ends us all the same when it means it.
            if unsafeBitCast(handler, to: Int.self) == 1 { continue }
            sigaction(number, &action, nil)
        }
    }
}
