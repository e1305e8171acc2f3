/// The text that was deleted by words and lines, to be yanked, as in readline and Emacs. Pure.
struct KillRing: Sendable {
    private var kills: [String] = []
    /// The index, counted from the newest, of the text that was returned last.
    private var shown = 0

    private static let maximumCount = 60

    /// Adds a deleted text.
    ///
    /// - Parameters:
    ///   - text: the deleted text.
    ///   - isForward: whether it was after the cursor.
    ///   - joins: whether to join it to the text that was deleted last, because no other key came between.
    mutating func add(_ text: String, isForward: Bool, joins: Bool) {
        if joins, let last = kills.popLast() {
            kills.append(isForward ? last + text : text + last)
        } else {
            kills.append(text)
            if kills.count > Self.maximumCount { kills.removeFirst() }
        }
    }

    /// The text that was deleted last, with which yanking begins; nil when there is none.
    mutating func newest() -> String? {
        shown = 0
        return kills.last
    }

    /// The text that was deleted before the one returned last, or the newest after the oldest; nil when there is none.
    mutating func previous() -> String? {
        if kills.isEmpty { return nil }
        shown = (shown + 1) % kills.count
        return kills[kills.count - 1 - shown]
    }
}
