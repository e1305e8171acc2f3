/// The versions of a memo's text that undo and redo go to. Pure.
///
/// A change after an undo loses no version: the undone versions are put before the new one, so that further undos go through them too.
struct MemoVersions: Sendable {
    /// The versions that undo goes to; the next one is the last.
    private var earlier: [MemoContent] = []
    /// The versions that redo goes to; the next one is the last.
    private var later: [MemoContent] = []

    /// The greatest size of the versions for undo, in bytes of text. Of a very long memo, only the last versions are kept.
    private static let maximumSize = 1 << 25

    /// Saves the present version, before a change.
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

    /// Takes the last change back, to the version before this one; nil when there is none.
    mutating func undo(from present: MemoContent) -> MemoContent? {
        Self.move(from: present, out: &earlier, into: &later)
    }

    /// Takes the last undo back, to the version that was undone; nil when there is none.
    mutating func redo(from present: MemoContent) -> MemoContent? {
        Self.move(from: present, out: &later, into: &earlier)
    }

    private static func move(
        from present: MemoContent, out source: inout [MemoContent], into target: inout [MemoContent]
    ) -> MemoContent? {
        // A version with the present text is skipped: nothing would be seen of the step.
        while let version = source.popLast() {
            if version.text.utf8.count == present.text.utf8.count, version.text.utf8.elementsEqual(present.text.utf8) {
                continue
            }
            target.append(present)
            return version
        }
        return nil
    }
}
