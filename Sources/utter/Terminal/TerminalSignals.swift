import Glibc
import Synchronization

/// Turns the signals that concern a terminal into bytes in a pipe, for the one thread that reads both.
enum TerminalSignals {
    /// What came, one byte each.
    enum Notice: UInt8 {
        case resized = 0x77  // SIGWINCH
        case continued = 0x63  // SIGCONT
        case mustStop = 0x74  // SIGTSTP from outside
        case mustSuspend = 0x7A  // asked for by us: with the job
        case mustHalt = 0x68  // asked for by us: alone
        case mustClose = 0x71
    }

    private static let writeEnd = Atomic<Int32>(-1)
    private static let numbers = [SIGWINCH, SIGCONT, SIGTSTP]

    /// Sends notices to `descriptor`, which must not block.
    static func send(to descriptor: Int32) {
        writeEnd.store(descriptor, ordering: .releasing)
        for number in numbers { handle(number, true) }
    }

    /// Sends no more.
    static func end() {
        for number in numbers { handle(number, false) }
        writeEnd.store(-1, ordering: .releasing)
    }

    /// Whether SIGTSTP is handled here; otherwise it stops us.
    static func catchStop(_ isCaught: Bool) { handle(SIGTSTP, isCaught) }

    /// Safe in a signal handler.
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
