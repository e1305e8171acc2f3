/// A change in the middle of a note, as it stands in a file beside the note while it is made. A process that is killed meanwhile leaves
/// the note half-changed; then the next one mends it by this. Pure.
///
/// What the longer form has more than the shorter one is the gap. Where the note becomes shorter, the gap is filled with zeros, then the new
/// bytes are written before it, then it is cut off; where it becomes longer, a gap of zeros is added, the new bytes are written before it and
/// then in it. So zeros in the gap say that the change is not complete, and to write the longer form completes it or takes it back without
/// changing the file's length. What others have added behind it meanwhile stays.
struct NoteChange: Equatable {
    /// Where the changed bytes begin in the note.
    let offset: Int
    /// The note's bytes from there to its end.
    let before: [UInt8]
    /// The bytes that take their place.
    let after: [UInt8]

    /// The number of bytes before the gap.
    var common: Int { min(before.count, after.count) }
    private var longer: [UInt8] { after.count > before.count ? after : before }

    /// The name of the file with the change of a day's note.
    static func name(of day: String) -> String { ".utter-change-\(day)" }

    init(offset: Int, before: [UInt8], after: [UInt8]) {
        (self.offset, self.before, self.after) = (offset, before, after)
    }

    /// The change in a file's bytes; nil when it is none.
    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let numbers = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
        guard numbers.count == 2, numbers.allSatisfy({ $0 >= 0 }), numbers[1] < bytes.count - end else { return nil }
        let middle = end + 1 + numbers[1]
        self.init(offset: numbers[0], before: Array(bytes[(end + 1)..<middle]), after: Array(bytes[middle...]))
    }

    /// The change as bytes: a line with the offset and the number of bytes before the change, then those, then those after it.
    var bytes: [UInt8] { Array("\(offset) \(before.count)\n".utf8) + before + after }

    /// The bytes that are to be written at the offset of a note in which the change was left half-done; nil when it was not, or when
    /// somebody else has changed the note there.
    func mending(_ note: [UInt8]) -> [UInt8]? {
        let longer = longer
        guard note.count - longer.count >= offset else { return nil }
        let found = note[offset..<(offset + longer.count)]
        let isOurs = (0..<common).allSatisfy { found[offset + $0] == before[$0] || found[offset + $0] == after[$0] }
        return isOurs && found.dropFirst(common).contains(0) ? longer : nil
    }
}
