/// The status line of `utter listen`: `listening, Ctrl-C ends ▁▂▃`. Pure.
struct ListenStatus: Sendable {
    /// The state; nil before the microphone is open.
    var state: LiveState?
    /// The level of each source, with its name, which is untrusted; the one microphone has none.
    var levels: [(name: String?, level: LiveLevel)] = []
    /// A notice for the user, in a few words. Untrusted.
    var notice: String?

    /// Takes the level of a source.
    mutating func show(_ level: LiveLevel, of source: String?) {
        if let index = levels.firstIndex(where: { $0.name == source }) {
            levels[index].level = level
        } else {
            levels.append((source, level))
        }
    }

    /// The line as text, cut to so many columns.
    func text(width: Int, isUTF8: Bool) -> String {
        guard let state else { return "" }
        // The meter is last, so that nothing moves with it.
        let meters = levels.map { name, level in
            (name.map { TerminalText.visible($0) + " " } ?? "") + level.meter(isUTF8: isUTF8)
        }
        let details = ([TerminalText.visible(notice ?? "")] + meters).filter { !$0.isEmpty }
        let text = state == .listening ? ([state.text + ", Ctrl-C ends"] + details).joined(separator: " ") : state.text
        return String(prefix(of: text, fitting: max(0, width)))
    }
}
