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
    private let descriptor: Int32
    private let reader: TerminalReader
    private let isOpen = Atomic(true)

    /// Opens a terminal and starts to read it. open(2), tcgetattr(3), tcsetattr(3)
    ///
    /// - Parameters:
    ///   - path: the terminal's path; the default is the controlling terminal.
    ///   - mode: `.lines` for terminals that can't draw.
    /// - Returns: nil when there is no terminal.
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
    func suspend(withJob: Bool = true) { reader.send(withJob ? .mustSuspend : .mustHalt) }

    /// Stops reading and restores the terminal's settings. Typed keys that were not read are left for the next program.
    func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        reader.stop()
        Glibc.close(descriptor)
    }

    deinit { close() }
}
