/// What `utter listen` is doing, in words that fit a line of the terminal: `listening, Ctrl-C ends ▁▂▃`. Pure.
struct ListenStatus: Sendable {
    /// Nil before the microphone is open.
    var state: ListenEvent.State?
    var level: MemoLevel?
    /// Something the user should know, in a few words. Untrusted.
    var notice: String?

    /// - Parameter width: columns; what does not fit is cut.
    func text(width: Int, isUTF8: Bool) -> String {
        let text: String
        switch state {
        case nil: return ""
        case .gettingReady: text = MemoState.gettingReady.text
        case .finishing: text = MemoState.finishing.text
        case .listening:
            let meter = level?.meter(isUTF8: isUTF8) ?? ""
            // The bars are last, so that nothing moves with them.
            text = [MemoState.listening.text + ", Ctrl-C ends", notice.map { TerminalText.visible($0) }, meter].compactMap { $0 }
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
        return String(prefix(of: text, fitting: max(0, width)))
    }
}
