/// What was deleted by words and lines, for bringing it back elsewhere, as in readline and Emacs. Pure.
struct KillRing: Equatable, Sendable {
    private var kills: [String] = []
    /// Counted from the newest.
    private var shown = 0

    private static let maximumCount = 60

    /// Takes in what was deleted.
    ///
    /// - Parameters:
    ///   - isForward: whether it stood behind the cursor.
    ///   - joins: whether nothing was done since the last: then both are one.
    mutating func add(_ text: String, isForward: Bool, joins: Bool) {
        if joins, let last = kills.popLast() {
            kills.append(isForward ? last + text : text + last)
        } else {
            kills.append(text)
            if kills.count > Self.maximumCount { kills.removeFirst() }
        }
    }

    /// - Returns: what was deleted last; nil when nothing was.
    mutating func newest() -> String? {
        shown = 0
        return kills.last
    }

    /// - Returns: what was deleted before that which was given out last; behind the oldest comes the newest.
    mutating func previous() -> String? {
        if kills.isEmpty { return nil }
        shown = (shown + 1) % kills.count
        return kills[kills.count - 1 - shown]
    }
}
