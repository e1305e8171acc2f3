/// The status line of `utter listen`: `listening, Ctrl-C ends ▁▂▃`. Pure.
struct ListenStatus: Sendable {
    /// The state; nil before the microphone is open.
    var state: ListenEvent.State?
    var level: MemoLevel?
    /// A notice for the user, in a few words. Untrusted.
    var notice: String?

    /// The line as text.
    ///
    /// - Parameters:
    ///   - width: the greatest width, in columns; a longer text is cut.
    ///   - isUTF8: whether the terminal shows UTF-8.
    func text(width: Int, isUTF8: Bool) -> String {
        let text: String
        switch state {
        case nil: return ""
        case .gettingReady: text = MemoState.gettingReady.text
        case .finishing: text = MemoState.finishing.text
        case .listening:
            let meter = level?.meter(isUTF8: isUTF8) ?? ""
            // The meter is last, so that nothing moves with it.
            text = [MemoState.listening.text + ", Ctrl-C ends", notice.map { TerminalText.visible($0) }, meter].compactMap { $0 }
                .filter { !$0.isEmpty }.joined(separator: " ")
        }
        return String(prefix(of: text, fitting: max(0, width)))
    }
}
