import Glibc
import Synchronization

/// What comes from a terminal.
enum TerminalEvent: Equatable, Sendable {
    case keys([Key])
    /// The size is another.
    case resized
    /// Somebody stops us from outside (SIGTSTP). Who has drawn something leaves it, and calls `suspend(withJob: false)`.
    case mustStop
    /// We were stopped, and others have written to the terminal since.
    case resumed
    /// The terminal is gone, or in line mode Control-D was typed.
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
/// In raw mode no key is a signal and nothing is echoed, but output is processed as usual. Bracketed paste is on. It is given back as
/// it was by `close()`, and by `TerminalGuard` on any other way out. In line mode everything is left to the terminal.
/// At most one is open at a time.
final class RawTerminal: Sendable {
    /// What comes from the terminal, until it is closed or gone. For one reader.
    let events: AsyncStream<TerminalEvent>
    private let descriptor: Int32
    private let reader: TerminalReader
    private let isOpen = Atomic(true)

    /// - Parameters:
    ///   - path: the terminal that controls our session, unless another is named.
    ///   - mode: `.lines` for terminals that can't draw.
    /// - Returns: nil when there is no terminal. open(2), tcgetattr(3), tcsetattr(3)
    init?(path: String = "/dev/tty", mode: KeyDecoder.Mode = .raw) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let reader = TerminalReader(descriptor: descriptor, mode: mode) else {
            Glibc.close(descriptor)
            return nil
        }
        self.reader = reader
        events = reader.start()
    }

    /// Its size now. ioctl(TIOCGWINSZ)
    var size: TerminalSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return .usual }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Writes all of `text`.
    /// - Returns: 0, or the errno of the write that failed: EIO when the terminal is gone. write(2)
    func write(_ text: String) -> Int32 { Descriptor.write(text, to: descriptor) }

    /// Gives the terminal back and stops us, and with us the job, as Control-Z does elsewhere. `.resumed` comes when it goes on.
    func suspend(withJob: Bool = true) { reader.send(withJob ? .mustSuspend : .mustHalt) }

    /// Reads no more, and gives the terminal back as it was. What has been typed and not read is left for the next.
    func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        reader.stop()
        Glibc.close(descriptor)
    }

    deinit { close() }
}
