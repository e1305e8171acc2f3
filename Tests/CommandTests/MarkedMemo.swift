@testable import utter

extension MemoText {
    /// Makes a memo from a text in which `|` is the cursor.
    init(marked: String) {
        let parts = marked.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(parts.joined())
        move(to: parts[0].utf8.count)
    }

    /// The text as it would be if the guess were right.
    var textWithGuess: String {
        let placed = placedGuess
        var result = text
        result.insert(contentsOf: placed.before + placed.guess + placed.behind, at: index(placed.offset))
        return result
    }
}
