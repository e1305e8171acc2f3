/// Shows a memo as lines, on a terminal that can't move its cursor: each final when it comes, and states and notices in parentheses when
/// they change. The terminal itself shows what is typed, line by line. The end shows the whole memo. Pure: it returns what to write.
struct MemoLog: Sendable {
    private var finalCount = 0
    private var state: LiveState?
    private var notice: String?

    /// The lines to write for what is new since the last call.
    mutating func draw(_ memo: MemoText, state newState: LiveState, notice newNotice: String?) -> String {
        var lines = memo.finals.dropFirst(finalCount).map { Self.shown($0) }
        finalCount = memo.finals.count
        if newNotice != notice, let newNotice { lines.append("(\(TerminalText.visible(newNotice)))") }
        notice = newNotice
        if newState != state { lines.append("(\(newState.text))") }
        state = newState
        return lines.map { $0 + "\n" }.joined()
    }

    /// A text that may have line breaks, as it is shown.
    static func shown(_ text: String) -> String { TerminalText.visible(text, layout: .tabsAndNewlines) }
}
