import Glibc
import System

/// Messages on the standard error, and the size of the terminal.
enum Console {
    /// Writes a message to the standard error through `TerminalText`. A failed write is ignored.
    static func say(_ message: String, layout: TerminalText.Layout = .oneLine) {
        _ = Descriptor.write(TerminalText.visible(message, layout: layout), to: STDERR_FILENO)
    }

    /// Writes a message as a line that begins with "utter: ". It stays one line, whatever it quotes, unless `layout` says otherwise.
    static func tell(_ message: String, layout: TerminalText.Layout = .oneLine) {
        say("utter: \(TerminalText.visible(message, layout: layout))\n", layout: .tabsAndNewlines)
    }

    /// The size of a terminal, in cells; nil when the descriptor is not that of a terminal. ioctl(TIOCGWINSZ)
    static func size(of descriptor: Int32) -> TerminalSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
