/// Rows and columns of a terminal.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var rows: Int

    /// What is assumed of one that doesn't know its own.
    static let usual = TerminalSize(columns: 80, rows: 24)
}

/// What is known of a terminal from the environment.
struct TerminalTraits: Equatable, Sendable {
    /// It can't move its cursor.
    var isDumb: Bool
    /// Colours and other attributes are wanted.
    var hasColour: Bool
    /// It shows more than ASCII.
    var isUTF8: Bool
    /// When its width changes it breaks long rows anew; others cut them off.
    var reflows: Bool

    init(isDumb: Bool = false, hasColour: Bool = true, isUTF8: Bool = true, reflows: Bool = true) {
        self.isDumb = isDumb
        self.hasColour = hasColour
        self.isUTF8 = isUTF8
        self.reflows = reflows
    }

    /// - Parameter environment: TERM, NO_COLOR, LC_ALL, LC_CTYPE, LANG and what some terminals tell of themselves.
    init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let terminal = value("TERM") ?? "dumb"
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        // tmux calls itself screen, which cuts.
        let cuts =
            ["linux", "rxvt", "st-", "cons25", "vt"].contains { terminal.hasPrefix($0) } || terminal == "st"
            || value("XTERM_VERSION") != nil && value("TMUX") == nil
            || terminal.hasPrefix("screen") && value("TMUX") == nil
        self.init(
            isDumb: terminal == "dumb", hasColour: value("NO_COLOR") == nil,
            isUTF8: locale.hasSuffix("utf-8") || locale.hasSuffix("utf8"), reflows: !cuts)
    }
}
