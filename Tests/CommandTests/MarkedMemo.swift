@testable import utter

extension MemoText {
    /// Makes a memo from a text in which `|` is the cursor.
    init(marked: String) {
        let parts = marked.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(parts.joined())
        move(to: parts[0].utf8.count)
    }
}
