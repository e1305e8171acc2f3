import Glibc

/// The command's own talk on stderr, and what little is known about the terminal.
enum Console {
    /// Writes a message to stderr through `TerminalText`. When even stderr is gone there is nobody left to tell.
    static func say(_ message: String, layout: TerminalText.Layout = .oneLine) {
        _ = Descriptor.write(TerminalText.visible(message, layout: layout), to: STDERR_FILENO)
    }

    /// Writes a message as a line that says who speaks. It stays one line, whatever it quotes, unless `layout` says otherwise.
    static func tell(_ message: String, layout: TerminalText.Layout = .oneLine) {
        say("utter: \(TerminalText.visible(message, layout: layout))\n", layout: .tabsAndNewlines)
    }

    /// The columns of the terminal behind `descriptor`; nil when it is none. ioctl(TIOCGWINSZ)
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
