/// The versions of a memo's text that undo and redo go to. Pure.
///
/// Nothing is lost by going on after an undo: what was undone comes before what is new, so that undoing goes through that too. An utterance
/// that waits for its second pass is decided in all versions at once, so that undoing takes it away, and does not bring the first pass back.
struct MemoVersions: Equatable, Sendable {
    /// Those that undo goes to, the next last.
    private var earlier: [MemoContent] = []
    /// Those that redo goes to, the next last.
    private var later: [MemoContent] = []

    /// So many bytes of text are remembered; of a very long memo only the last versions are.
    private static let maximumSize = 1 << 25

    /// To be called before a change.
    mutating func save(_ present: MemoContent) {
        if !later.isEmpty {
            earlier.append(present)
            earlier += later.reversed()
            later = []
        }
        earlier.append(present)
        var size = earlier.reduce(0) { $0 + $1.text.utf8.count }
        while size > Self.maximumSize, earlier.count > 1 { size -= earlier.removeFirst().text.utf8.count }
    }

    /// - Returns: the version before this one; nil when there is none.
    mutating func undo(from present: MemoContent) -> MemoContent? { Self.move(from: present, out: &earlier, into: &later) }

    /// - Returns: the version that was undone last; nil when there is none.
    mutating func redo(from present: MemoContent) -> MemoContent? { Self.move(from: present, out: &later, into: &earlier) }

    private static func move(
        from present: MemoContent, out source: inout [MemoContent], into target: inout [MemoContent]
    ) -> MemoContent? {
        // A step that has become nothing is none: words that turned out to be none.
        while let version = source.popLast() {
            if version.text.utf8.count == present.text.utf8.count, version.text.utf8.elementsEqual(present.text.utf8) { continue }
            target.append(present)
            return version
        }
        return nil
    }

    /// An utterance waits no longer, in no version.
    ///
    /// - Parameters:
    ///   - heard: what was heard, when that is other than what is written; it becomes a version of its own. Both are tidied.
    ///   - present: the version that is shown.
    mutating func decide(_ number: Int, as speech: String, heard: String?, in present: inout MemoContent) {
        var heard = heard
        func decided(_ content: MemoContent) -> [MemoContent] {
            var versions = [content]
            if let words = heard, content.holds(number) {
                versions.insert(content, at: 0)
                versions[0].decide(number, as: words)
                heard = nil
            }
            versions[versions.count - 1].decide(number, as: speech)
            return versions
        }
        earlier = earlier.flatMap(decided)
        let now = decided(present)
        earlier += now.dropLast()
        present = now[now.count - 1]
        later = later.reversed().flatMap(decided).reversed()
    }
}
