import Foundation
import System

/// One line of a memo's journal: what has changed since the line before, after a checksum.
///
///     2f0a41c7 {"begin":{"id":"…","notes":"/home/me/notes","startedAt":1700000000,"timeZone":"Europe/Berlin","to":["notes"]}}
///     88d1b2ee {"text":"buy milk"}
///     0b6a9f10 {"change":{"at":8,"base":"1c291ca3","drop":0,"text":" and bread"}}
///     5d0c2e91 {"keep":"buy milk and bread","notes":"/home/me/notes","to":["notes"]}
///
/// Text in JSON has no line breaks, so a line that is torn, or was written over, spoils no other. What older versions do not know,
/// they leave out; what they did not write is missing here.
enum MemoRecord: Codable, Equatable {
    case begin(Beginning)
    /// All of the text.
    case text(String)
    case change(Change)
    /// The user has decided to keep it at this place, and this is all of the text. An older version wrote no place.
    case keep(String, at: MemoPlace?)

    struct Beginning: Codable, Equatable {
        var id: UUID
        /// In seconds since 1970.
        var startedAt: Double
        var timeZone: String
        /// In seconds; for where the zone is not known by its name.
        var secondsFromGMT: Int
        /// Both are those of the memo's place; nil in what an older version wrote.
        var to: [String]?
        var notes: String?

        var place: MemoPlace? { to.map { MemoPlace(destinations: $0, notes: notes) } }
    }

    /// For text that has become long: some of its bytes are replaced by others.
    struct Change: Codable, Equatable {
        /// In bytes of UTF-8.
        var at: Int
        var drop: Int
        var text: String
        /// The checksum of the text that it changes.
        var base: String
    }

    private enum Key: String, CodingKey { case begin, text, change, keep, to, notes }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if values.contains(.begin) {
            self = .begin(try values.decode(Beginning.self, forKey: .begin))
        } else if values.contains(.text) {
            self = .text(try values.decode(String.self, forKey: .text))
        } else if values.contains(.change) {
            self = .change(try values.decode(Change.self, forKey: .change))
        } else {
            let destinations = try values.decodeIfPresent([String].self, forKey: .to)
            let notes = try values.decodeIfPresent(String.self, forKey: .notes)
            self = .keep(
                try values.decode(String.self, forKey: .keep),
                at: destinations.map { MemoPlace(destinations: $0, notes: notes) })
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .begin(let beginning): try values.encode(beginning, forKey: .begin)
        case .text(let text): try values.encode(text, forKey: .text)
        case .change(let change): try values.encode(change, forKey: .change)
        case .keep(let text, let place):
            try values.encode(text, forKey: .keep)
            try values.encodeIfPresent(place?.destinations, forKey: .to)
            try values.encodeIfPresent(place?.notes, forKey: .notes)
        }
    }

    /// The line, with its newline.
    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(self)
        return Array("\(CRC32.digits(of: json)) ".utf8) + json + [UInt8(ascii: "\n")]
    }

    /// Of the checksum.
    private static let digitCount = 8

    /// - Parameter line: without its newline.
    /// - Returns: nil when the line is damaged, or of a kind that only newer versions know.
    init?(line: ArraySlice<UInt8>) {
        guard line.count > Self.digitCount, line.dropFirst(Self.digitCount).first == UInt8(ascii: " ") else { return nil }
        let json = line.dropFirst(Self.digitCount + 1)
        guard CRC32.digits(of: json).utf8.elementsEqual(line.prefix(Self.digitCount)) else { return nil }
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = record
    }
}

/// What is left of damaged lines.
extension MemoRecord {
    /// The records in what stands between two newlines. Of a whole line that is its own. A newline that was damaged or lost makes one
    /// line of two, and what was cut out may have joined the rests of two: whatever of it proves itself counts.
    ///
    /// - Returns: the records in order, and whether they are all that there is.
    static func proven(in line: ArraySlice<UInt8>) -> (records: [MemoRecord], isAll: Bool) {
        if let record = MemoRecord(line: line) { return ([record], true) }
        var records: [MemoRecord] = []
        var next = line.startIndex
        for start in starts(in: line) where start >= next {
            // The longest first: what looks like an end may be something that was said.
            for end in ends(in: line[start...]).reversed() {
                guard let record = MemoRecord(line: line[start..<end]) else { continue }
                records.append(record)
                next = end
                break
            }
        }
        return (records, false)
    }

    /// More of them than any damage makes; only the first count, so that nothing takes long.
    private static let mostStarts = 50

    /// Where a line may begin: with eight hexadecimal digits, a space and a brace.
    private static func starts(in line: ArraySlice<UInt8>) -> [Int] {
        var starts: [Int] = []
        var digitsBefore = 0
        for place in line.indices.dropLast() where starts.count < mostStarts {
            if line[place] == UInt8(ascii: " "), digitsBefore >= digitCount, line[place + 1] == UInt8(ascii: "{") {
                starts.append(place - digitCount)
            }
            switch line[place] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digitsBefore += 1
            default: digitsBefore = 0
            }
        }
        return starts
    }

    /// Where the line that begins here may end: behind every brace up to which its checksum is right.
    private static func ends(in line: ArraySlice<UInt8>) -> [Int] {
        guard let wanted = UInt32(String(decoding: line.prefix(digitCount), as: UTF8.self), radix: 16) else { return [] }
        var ends: [Int] = []
        var checksum: UInt32 = 0
        var rest = line.dropFirst(digitCount + 1)
        while let brace = rest.firstIndex(of: UInt8(ascii: "}")) {
            checksum = rest[...brace].withUnsafeBufferPointer { CRC32.checksum(of: $0, after: checksum) }
            if checksum == wanted { ends.append(brace + 1) }
            rest = rest[(brace + 1)...]
        }
        return ends
    }
}
