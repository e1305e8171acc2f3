import Glibc
import Synchronization

/// Turns the signals that concern a terminal into bytes in a pipe, for the thread that reads both.
enum TerminalSignals {
    /// A notice for the thread: one byte.
    enum Notice: UInt8 {
        case resized = 0x77  // SIGWINCH
        case continued = 0x63  // SIGCONT
        case mustStop = 0x74  // SIGTSTP from another process
        case mustSuspend = 0x7A  // a request of this process: stop with the job
        case mustHalt = 0x68  // a request of this process: stop alone
        case mustClose = 0x71
    }

    private static let writeEnd = Atomic<Int32>(-1)
    private static let numbers = [SIGWINCH, SIGCONT, SIGTSTP]

    /// Starts to send notices to `descriptor`, which must not block. sigaction(2)
    static func send(to descriptor: Int32) {
        writeEnd.store(descriptor, ordering: .releasing)
        for number in numbers { handle(number, true) }
    }

    static func end() {
        for number in numbers { handle(number, false) }
        writeEnd.store(-1, ordering: .releasing)
    }

    /// Sets whether SIGTSTP sends a notice; otherwise it stops this process.
    static func catchStop(_ isCaught: Bool) { handle(SIGTSTP, isCaught) }

    /// Sends a notice. Safe in a signal handler.
    static func send(_ notice: Notice) {
        var byte = notice.rawValue
        _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
    }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        let code = errno
        TerminalSignals.send(number == SIGWINCH ? .resized : number == SIGCONT ? .continued : .mustStop)
        errno = code
    }

    private static func handle(_ number: Int32, _ isHandled: Bool) {
        var action = sigaction()
        if isHandled { action.__sigaction_handler.sa_handler = handler }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(number, &action, nil)
    }
}
