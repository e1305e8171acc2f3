/// A change in the middle of a note, as it stands in a file beside the note while it is made. A process that is killed meanwhile leaves
/// the note half-changed; then the next one mends it by this. Pure.
///
/// What the longer form has more than the shorter one is the gap. Where the note becomes shorter, the gap is filled with zeros, then the new
/// bytes are written before it, then it is cut off; where it becomes longer, a gap of zeros is added, the new bytes are written before it and
/// then in it. So zeros in the gap say that the change is not complete, and to write the longer form completes it or takes it back without
/// changing the file's length. What others have added behind it meanwhile stays.
///
/// A change that was cut off stays in the file for a day: an editor that has read the half-changed note may save it after it was mended.
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

    /// The name of the file with the changes of a day's note that were cut off, and the one that is being made.
    static func name(of day: String) -> String { ".utter-change-\(day)" }
    /// So many changes are in the file at most, each as long as the note.
    private static let mostKept = 8

    /// The changes in a file's bytes, the first one first; what is no change ends them.
    static func all(in bytes: [UInt8]) -> [NoteChange] {
        var (changes, rest) = ([NoteChange](), bytes[...])
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let numbers = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").map { Int($0) ?? -1 }
            rest = rest[(end + 1)...]
            guard numbers.count == 3, numbers.allSatisfy({ $0 >= 0 }), numbers[1] <= rest.count,
                numbers[2] <= rest.count - numbers[1]
            else { break }
            let before = Array(rest.prefix(numbers[1]))
            rest = rest.dropFirst(numbers[1])
            changes.append(NoteChange(offset: numbers[0], before: before, after: Array(rest.prefix(numbers[2]))))
            rest = rest.dropFirst(numbers[2])
        }
        return changes
    }

    /// A file with the last ones of some changes: of each a line with the offset, the number of bytes before the change and that after
    /// it, then those bytes.
    static func file(_ changes: [NoteChange]) -> [UInt8] {
        changes.suffix(mostKept).flatMap { change in
            Array("\(change.offset) \(change.before.count) \(change.after.count)\n".utf8) + change.before + change.after
        }
    }

    /// The bytes that are to be written at the offset of a note in which the change was left half-done; nil when it was not, or when
    /// somebody else has changed the note there.
    func mending(_ note: [UInt8]) -> [UInt8]? {
        let longer = longer
        guard offset <= note.count - longer.count else { return nil }
        let found = note[offset..<(offset + longer.count)]
        let isOurs = (0..<common).allSatisfy { found[offset + $0] == before[$0] || found[offset + $0] == after[$0] }
        return isOurs && found.dropFirst(common).contains(0) ? longer : nil
    }
}
