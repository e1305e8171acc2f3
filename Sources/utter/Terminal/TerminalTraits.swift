/// The size of a terminal, in columns and rows.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// The size of a terminal that does not report its own.
    static let usual = TerminalSize(columns: 80, rows: 24)
}

/// The traits of a terminal, according to the environment.
struct TerminalTraits: Equatable, Sendable {
    /// Whether the terminal can't move its cursor.
    var isDumb = false
    /// Whether the user wants colours and other attributes.
    var hasColour = true
    var isUTF8 = true
    /// Whether the terminal rewraps long rows when its width changes; others cut them off.
    var reflows = true
}

extension TerminalTraits {
    /// Reads the traits from the environment.
    ///
    /// - Parameter environment: TERM, NO_COLOR, LC_ALL, LC_CTYPE, LANG, and the variables that some terminals set.
    init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let terminal = value("TERM") ?? "dumb"
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        // tmux may call itself screen, but rewraps rows, which screen does not.
        let cuts =
            ["linux", "rxvt", "st-", "cons25", "vt"].contains { terminal.hasPrefix($0) } || terminal == "st"
            || value("XTERM_VERSION") != nil && value("TMUX") == nil
            || terminal.hasPrefix("screen") && value("TMUX") == nil
        self.init(
            isDumb: terminal == "dumb", hasColour: value("NO_COLOR") == nil,
            isUTF8: locale.hasSuffix("utf-8") || locale.hasSuffix("utf8"), reflows: !cuts)
    }
}
