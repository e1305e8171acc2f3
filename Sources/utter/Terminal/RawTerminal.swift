import Glibc
import Synchronization
import System

enum TerminalEvent: Equatable, Sendable {
    case keys([Key])
    case resized
    /// Another process asks this one to stop (SIGTSTP). The reader leaves its frame and calls `suspend(withJob: false)`.
    case mustStop
    /// This process was stopped and goes on in the foreground; other programs may have written to the terminal.
    case resumed
    /// The terminal is gone, or Control-D was typed in line mode.
    case ended
}

/// The user's terminal, read key by key, whatever standard input and output are.
///
/// ```swift
/// guard let terminal = RawTerminal(mode: traits.isDumb ? .lines : .raw) else { … }
/// defer { terminal.close() }
/// for await event in terminal.events { … }
/// ```
///
/// In raw mode no key is a signal and nothing is echoed, but output is processed as usual. Bracketed paste is on. `close()` restores
/// the terminal's settings, and so does `TerminalGuard` on any other way out. In line mode the settings are not changed.
/// At most one terminal is open at a time.
final class RawTerminal: Sendable {
    /// The terminal's events, until it is closed or gone. For one reader.
    let events: AsyncStream<TerminalEvent>
    private let continuation: AsyncStream<TerminalEvent>.Continuation
    private let descriptor: Int32
    private let mode: KeyDecoder.Mode
    private let original: termios
    private let wakeUp: Pipe
    private let isOpen = Atomic(true)
    /// The thread that reads the terminal, and the only one that changes its mode. Set before anybody has this object.
    nonisolated(unsafe) private var thread = pthread_t()
    /// Whether other programs have the terminal: this process was stopped, and is not in the foreground yet. Only the thread uses it.
    nonisolated(unsafe) private var isAway = false

    /// The time without further bytes, in milliseconds, after which an Esc is a key.
    private static let escapeTime: Int32 = 50
    /// How often a process in the background looks whether it is in the foreground, in milliseconds: not every shell tells it.
    private static let returnTime: Int32 = 100

    /// Opens a terminal and starts to read it. When this returns, it is in its mode. open(2), tcgetattr(3), tcsetattr(3)
    ///
    /// - Parameter path: the terminal's path; the default is the controlling terminal.
    /// - Returns: nil when there is no terminal.
    init?(path: String = "/dev/tty", mode: KeyDecoder.Mode = .raw) {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var settings = termios()
        guard descriptor >= 0 else { return nil }
        guard tcgetattr(descriptor, &settings) == 0, let wakeUp = Pipe() else {
            Glibc.close(descriptor)
            return nil
        }
        // Neither the signal handler that writes nor the thread that reads may wait.
        for end in [wakeUp.reading, wakeUp.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (self.descriptor, self.mode, original, self.wakeUp) = (descriptor, mode, settings, wakeUp)
        (events, continuation) = AsyncStream.makeStream()
        TerminalSignals.send(to: wakeUp.writing)
        if mode == .raw { enterRawMode() }
        let code = pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<RawTerminal>.fromOpaque(pointer!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread can be made to read the terminal")
    }

    /// The terminal's size now.
    var size: TerminalSize {
        guard let size = Console.size(of: descriptor), size.rows > 0 else { return .usual }
        return size
    }

    /// Writes all of `text`. write(2)
    ///
    /// - Returns: 0, or the `errno` of the write that failed: EIO when the terminal is gone.
    func write(_ text: String) -> Int32 { Descriptor.write(text, to: descriptor) }

    /// Restores the terminal's settings and stops this process, and with it the job, as Control-Z usually does. The event `.resumed`
    /// comes when the process goes on.
    func suspend(withJob: Bool = true) { send(withJob ? .mustSuspend : .mustHalt) }

    /// Stops reading and restores the terminal's settings. Typed keys that were not read are left for the next program. Not on the
    /// thread that reads.
    func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        send(.mustClose)
        pthread_join(thread, nil)
        TerminalSignals.end()
        TerminalGuard.restore()
        wakeUp.closeReading()
        wakeUp.closeWriting()
        Glibc.close(descriptor)
    }

    private func send(_ notice: TerminalSignals.Notice) {
        var byte = notice.rawValue
        _ = Glibc.write(wakeUp.writing, &byte, 1)
    }

    private func run() {
        unblockSignals()
        var decoder = KeyDecoder(mode: mode)
        var buffer = [UInt8](repeating: 0, count: 4096)
        defer { continuation.finish() }
        var isAtEnd = false
        while true {
            var waits = [
                pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isAtEnd || isAway ? -1 : descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waits, 2, isAway ? Self.returnTime : decoder.isWaiting ? Self.escapeTime : -1)
            if count < 0 { continue }
            if count == 0 { if isAway { comeBack() } else { give(decoder.timeOut()) } }
            if waits[0].revents != 0 {
                for notice in takeNotices() {
                    if notice == .mustClose { return }
                    handle(notice)
                }
                continue
            }
            if waits[1].revents != 0 {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    give(decoder.decode(buffer[..<count]))
                } else if count == 0 || errno != EINTR && errno != EAGAIN {
                    give(decoder.timeOut())
                    continuation.yield(.ended)
                    isAtEnd = true
                }
            }
        }
    }

    private func give(_ keys: [Key]) {
        if !keys.isEmpty { continuation.yield(.keys(keys)) }
    }

    private func takeNotices() -> [TerminalSignals.Notice] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(wakeUp.reading, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).compactMap(TerminalSignals.Notice.init)
    }

    private func handle(_ notice: TerminalSignals.Notice) {
        switch notice {
        case .resized: continuation.yield(.resized)
        case .continued:
            isAway = true
            comeBack()
        case .mustStop: continuation.yield(.mustStop)
        case .mustHalt: stopProcess(withJob: false)
        case .mustSuspend: stopProcess(withJob: true)
        case .mustClose: break
        }
    }

    private func stopProcess(withJob: Bool) {
        TerminalGuard.restore()
        if withJob {
            // Stops the other processes of the job. This one stops itself below, on this thread, which might otherwise run on for a while.
            signal(SIGTSTP, SIG_IGN)
            ChildProcess.signalGroup(SIGTSTP)
        }
        TerminalSignals.catchStop(false)
        raise(SIGTSTP)
        TerminalSignals.catchStop(true)
        // SIGCONT is a notice. It does not come if there is no shell that could stop this job.
        isAway = true
    }

    /// Takes the terminal again if this process is in the foreground. In the background the kernel would stop it once more, also where a
    /// signal is to end it. tcgetpgrp(3)
    private func comeBack() {
        let foreground = tcgetpgrp(descriptor)
        guard foreground < 0 || foreground == getpgrp() else { return }
        isAway = false
        // Another program may have changed the settings meanwhile.
        if mode == .raw { enterRawMode() }
        continuation.yield(.resumed)
    }

    /// Sets the terminal to raw mode. In the background, the kernel stops this process until it is in the foreground. tcsetattr(3)
    private func enterRawMode() {
        // A terminal that is already held stays in raw mode, for an Enter in between would come as another key.
        if !TerminalGuard.isHolding { TerminalGuard.arm(descriptor: descriptor, settings: original) }
        var settings = original
        settings.c_iflag &= ~tcflag_t(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON)
        settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
        settings.c_cflag = settings.c_cflag & ~tcflag_t(CSIZE | PARENB) | tcflag_t(CS8)
        withUnsafeMutableBytes(of: &settings.c_cc) { bytes in
            bytes[Int(VMIN)] = 1
            bytes[Int(VTIME)] = 0
        }
        // TCSADRAIN keeps the keys that were typed before.
        while tcsetattr(descriptor, TCSADRAIN, &settings) < 0 && errno == EINTR {}
        _ = Descriptor.write("\u{1B}[?2004h", to: descriptor)
    }

    private func unblockSignals() {
        // The thread inherits the signals that Dispatch blocks, but must be able to stop.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTSTP, SIGCONT, SIGWINCH, SIGTTOU, SIGTTIN] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
