import Foundation
import Glibc
import System
import TestSupport
import Testing

@testable import utter

/// Tests on a real pseudo-terminal, one at a time, since a process has at most one raw terminal.
@Suite(.serialized) struct RawTerminalTests {
    private let pair = PseudoTerminal()

    @Test("While it is open, keys come unprocessed; afterwards the terminal is as it was")
    func modes() async throws {
        let before = pair.settings
        #expect(before.c_lflag & tcflag_t(ECHO) != 0)
        let terminal = try #require(RawTerminal(path: pair.path))
        let during = pair.settings
        #expect(during.c_lflag & tcflag_t(ECHO | ICANON | ISIG | IEXTEN) == 0)
        #expect(during.c_iflag & tcflag_t(ICRNL | IXON) == 0)
        #expect(during.c_oflag == before.c_oflag)
        #expect(try await pair.read(until: "h") == "\u{1B}[?2004h")
        #expect(terminal.write("hello\n") == 0)
        #expect(try await pair.read(until: "\r\n") == "hello\r\n")
        terminal.close()
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        #expect(try await pair.read(until: "[?25h") == "\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h")
        terminal.close()
        // It can be opened again.
        let next = try #require(RawTerminal(path: pair.path))
        #expect(pair.settings.c_lflag & tcflag_t(ECHO) == 0)
        next.close()
        #expect(PseudoTerminal.areEqual(pair.settings, before))
    }

    @Test("Keys come in order, an Esc when nothing follows it, and the end when the terminal closes")
    func keys() async throws {
        let terminal = try #require(RawTerminal(path: pair.path))
        var events = terminal.events.makeAsyncIterator()
        pair.type("h\u{1B}[")
        pair.type("Aé\r\u{03}\u{1B}")
        var keys: [Key] = []
        while keys.count < 6, case .keys(let more)? = await events.next() { keys += more }
        #expect(keys == [.text("h"), .up, .text("é"), .enter, .control("C"), .escape])
        pair.hangUp()
        #expect(await events.next() == .ended)
        terminal.close()
        #expect(await events.next() == nil)
    }

    @Test("Keys that were typed before it was opened are not lost")
    func typedAhead() async throws {
        pair.type("early")
        let terminal = try #require(RawTerminal(path: pair.path))
        var events = terminal.events.makeAsyncIterator()
        var text = ""
        while text.count < 5, case .keys(let keys)? = await events.next() {
            for case .text(let more) in keys { text += more }
        }
        #expect(text == "early")
        terminal.close()
    }

    @Test("It reports the size and its changes")
    func size() async throws {
        let terminal = try #require(RawTerminal(path: pair.path))
        #expect(terminal.size == .usual)
        pair.resize(columns: 100, rows: 30)
        // Send SIGWINCH, because the system sends it only to jobs of a controlling terminal, which this is not.
        kill(getpid(), SIGWINCH)
        var events = terminal.events.makeAsyncIterator()
        #expect(await events.next() == .resized)
        #expect(terminal.size == TerminalSize(columns: 100, rows: 30))
        terminal.close()
    }

    @Test("In line mode the terminal stays as it is, and Control-D is the end")
    func lines() async throws {
        let before = pair.settings
        let terminal = try #require(RawTerminal(path: pair.path, mode: .lines))
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        var events = terminal.events.makeAsyncIterator()
        pair.type("helo\u{7F}lo\r")
        #expect(await events.next() == .keys([.text("hello"), .enter]))
        pair.type("\u{04}")
        #expect(await events.next() == .ended)
        terminal.close()
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        // The output is the terminal's echo, without any escape sequence.
        #expect(try await pair.read(until: "\r\n") == "helo\u{8} \u{8}lo\r\n")
    }

    @Test("A path that is not a terminal can't be opened", arguments: ["/dev/null", "/nowhere/tty"])
    func none(path: String) {
        #expect(RawTerminal(path: path) == nil)
        #expect(RawTerminal(path: path, mode: .lines) == nil)
    }

    @Test(
        "A signal that ends the process restores the terminal first",
        arguments: [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT, SIGSYS])
    func signals(number: Int32) async throws {
        let before = pair.settings
        await #expect(processExitsWith: .signal(number)) { [path = pair.path as String, number = number as Int32] in
            let terminal = try #require(RawTerminal(path: path))
            // Send it to the process, since the threads of the tests block some signals.
            kill(getpid(), number)
            while pause() < 0 {}
            terminal.close()
        }
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        #expect(
            try await pair.read(until: "\r\n")
                == "\u{1B}[?2004h\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[999B\r\n")
    }

    @Test("A crash restores the terminal")
    func crash() async throws {
        let before = pair.settings
        await #expect(processExitsWith: .signal(SIGSEGV)) { [path = pair.path as String] in
            let terminal = try #require(RawTerminal(path: path))
            UnsafeMutablePointer<Int>(bitPattern: 8)!.pointee = 1
            terminal.close()
        }
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        await #expect(processExitsWith: .failure) { [path = pair.path as String] in
            let terminal = try #require(RawTerminal(path: path))
            if terminal.size.columns > 0 { fatalError("planted") }
        }
        #expect(PseudoTerminal.areEqual(pair.settings, before))
        #expect(
            try await pair.read(until: "?2004h\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[999B\r\n", times: 2)
                != "")
    }

    @Test("An exit in the middle restores the terminal")
    func exits() async throws {
        let before = pair.settings
        await #expect(processExitsWith: .exitCode(3)) { [path = pair.path as String] in
            let terminal = try #require(RawTerminal(path: path))
            if terminal.size.columns > 0 { exit(3) }
        }
        #expect(PseudoTerminal.areEqual(pair.settings, before))
    }

    @Test(
        "The second SIGTERM or SIGINT, a moment after the first, ends the process and restores the terminal",
        arguments: [SIGTERM, SIGINT])
    func interruptions(number: Int32) async throws {
        let before = pair.settings
        let start = ContinuousClock.now
        await #expect(processExitsWith: .signal(number)) { [path = pair.path as String, number = number as Int32] in
            let interruption = Interruption()
            let terminal = try #require(RawTerminal(path: path))
            kill(getpid(), number)
            while interruption.signalNumber == nil { sched_yield() }
            guard interruption.signalNumber == number else { exit(1) }
            while true {
                kill(getpid(), number)
                poll(nil, 0, 20)
            }
            _ = terminal
        }
        #expect(.now - start >= .milliseconds(500))
        #expect(PseudoTerminal.areEqual(pair.settings, before))
    }

    @Test("A job can be stopped while it starts programs")
    func stopWhileStarting() async throws {
        await #expect(processExitsWith: .success) {
            setpgid(0, 0)
            // A child has the usual reaction in place of a handler.
            signal(SIGTSTP) { _ in }
            // Where a child stops before it runs its program, starting it never ends.
            alarm(60)
            let starting = Thread {
                for _ in 0..<300 {
                    guard let child = try? ChildProcess("true", [], output: .nothing, survivesInterrupt: true) else {
                        exit(1)
                    }
                    guard child.wait() == .exited(0) else { exit(2) }
                }
            }
            starting.start()
            while !starting.isFinished {
                ChildProcess.signalGroup(SIGTSTP)
                sched_yield()
            }
        }
    }

    @Test("A SIGHUP that was ignored before stays ignored")
    func nohup() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            signal(SIGTERM, SIG_IGN)
            let interruption = Interruption()
            raise(SIGHUP)
            // The process ends by this later signal, so SIGHUP was ignored.
            kill(getpid(), SIGTERM)
            while interruption.signalNumber == nil { sched_yield() }
            exit(interruption.signalNumber == SIGTERM ? 7 : 1)
        }
    }
}

/// A pseudo-terminal with the test as its user.
final class PseudoTerminal: Sendable {
    /// The path that a program opens.
    let path: String
    private let master: Int32
    // The other end stays open, since otherwise reading fails while no program has it open.
    private let slave: Int32

    init() {
        // These are the steps of posix_openpt(3), unlockpt(3) and ptsname(3), which the Glibc module lacks: TIOCSPTLCK, TIOCGPTN.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        precondition(ioctl(master, 0x4004_5431, &isLocked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    }

    deinit {
        close(master)
        close(slave)
    }

    var settings: termios {
        var settings = termios()
        precondition(tcgetattr(slave, &settings) == 0)
        return settings
    }

    static func areEqual(_ one: termios, _ other: termios) -> Bool {
        withUnsafeBytes(of: one.c_cc) { first in withUnsafeBytes(of: other.c_cc) { first.elementsEqual($0) } }
            && one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag && one.c_cflag == other.c_cflag
            && one.c_lflag == other.c_lflag
    }

    func type(_ keys: String) { precondition(Descriptor.write(keys, to: master) == 0) }

    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        precondition(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// Replaces the terminal's end by another file, which closes it; the descriptor's number stays in use.
    func hangUp() { dup2(open("/dev/null", O_RDWR | O_CLOEXEC), master) }

    struct Missing: Error { var output: String }

    /// Reads what was written to the terminal, until a text has come `times` times at its end.
    func read(until text: String, times: Int = 1) async throws -> String {
        try await onThread { [master] in
            var bytes: [UInt8] = []
            while true {
                let output = String(decoding: bytes, as: UTF8.self)
                if output.hasSuffix(text), output.components(separatedBy: text).count > times { return output }
                var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
                var byte: UInt8 = 0
                guard poll(&wait, 1, Patience.milliseconds) == 1, Glibc.read(master, &byte, 1) == 1 else {
                    throw Missing(output: output)
                }
                bytes.append(byte)
            }
        }
    }
}
