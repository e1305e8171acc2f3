@testable import utter

extension MemoText {
    /// A memo from a text with `|` where the cursor is.
    init(marked: String) {
        let parts = marked.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(parts.joined())
        move(to: parts[0].utf8.count)
    }
}
