import Foundation
import System

/// One line of a memo's journal: a checksum, and what has changed since the line before.
///
///     2f0a41c7 {"begin":{"id":"…","notes":"/home/me/notes","sound":"/home/me/sound/…wav","startedAt":1700000000,"timeZone":"Europe/Berlin","to":["notes"]}}
///     88d1b2ee {"guess":false,"text":"buy milk"}
///     0b6a9f10 {"change":{"at":8,"base":"1c291ca3","drop":0,"guess":true,"text":" and bread"}}
///     5d0c2e91 {"keep":"buy milk and bread","notes":"/home/me/notes","to":["notes"]}
///
/// Text in JSON has no line breaks, so a line that is incomplete or overwritten damages no other. Older versions ignore what they do not
/// know; what they did not write is nil.
enum MemoRecord: Codable, Equatable {
    case begin(Beginning)
    /// The whole text, and whether there is a guess in it; nil if an older version wrote the record.
    case text(String, hasGuess: Bool? = nil)
    case change(Change)
    /// The user's decision to keep the memo, with the whole text and the place, which is nil if an older version wrote the record.
    case keep(String, at: MemoPlace?)

    struct Beginning: Codable, Equatable {
        var id: UUID
        /// When the memo began, in seconds since 1970.
        var startedAt: Double
        var timeZone: String
        /// The time zone's offset, in seconds, for a system that does not know the zone's name.
        var secondsFromGMT: Int
        /// The destinations of the memo's place; nil if an older version wrote the record.
        var to: [String]?
        /// The notes' folder of the memo's place.
        var notes: String?
        /// The absolute path of the memo's sound; nil if it is not saved, or an older version wrote the record.
        var sound: String?

        var place: MemoPlace? { to.map { MemoPlace(destinations: $0, notes: notes) } }
    }

    /// A change of a long text: some of its bytes are replaced by others.
    struct Change: Codable, Equatable {
        /// The place of the change, in UTF-8 bytes of the text.
        var at: Int
        /// The number of bytes that are removed there.
        var drop: Int
        /// The text that is inserted there.
        var text: String
        /// The checksum of the text before the change.
        var base: String
        /// Whether there is a guess in the text after the change; nil if an older version wrote the record.
        var hasGuess: Bool?

        private enum CodingKeys: String, CodingKey { case at, drop, text, base, hasGuess = "guess" }
    }

    private enum Key: String, CodingKey { case begin, text, guess, change, keep, to, notes }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if values.contains(.begin) {
            self = .begin(try values.decode(Beginning.self, forKey: .begin))
        } else if values.contains(.text) {
            self = .text(
                try values.decode(String.self, forKey: .text),
                hasGuess: try values.decodeIfPresent(Bool.self, forKey: .guess))
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
        case .text(let text, let hasGuess):
            try values.encode(text, forKey: .text)
            try values.encodeIfPresent(hasGuess, forKey: .guess)
        case .change(let change): try values.encode(change, forKey: .change)
        case .keep(let text, let place):
            try values.encode(text, forKey: .keep)
            try values.encodeIfPresent(place?.destinations, forKey: .to)
            try values.encodeIfPresent(place?.notes, forKey: .notes)
        }
    }

    /// The record as a line, with its newline.
    func line() throws -> [UInt8] {
        let json = try json()
        return Array("\(CRC32.digits(of: json)) ".utf8) + json + [UInt8(ascii: "\n")]
    }

    /// The number of digits of a line's checksum.
    private static let digitCount = 8

    /// Reads a line without its newline; nil when it is damaged, or of a kind that only newer versions know.
    init?(line: ArraySlice<UInt8>) {
        guard line.count > Self.digitCount, line.dropFirst(Self.digitCount).first == UInt8(ascii: " ") else {
            return nil
        }
        let json = line.dropFirst(Self.digitCount + 1)
        guard CRC32.digits(of: json).utf8.elementsEqual(line.prefix(Self.digitCount)) else { return nil }
        self.init(json: json)
    }
}

/// Records that are found in damaged lines.
extension MemoRecord {
    /// The intact records between two newlines. There is one in an undamaged line. If a newline was damaged or lost, two lines have become
    /// one, and if more was lost, the remains of two lines may have. The records in them whose checksums are right are found.
    ///
    /// - Parameter line: the bytes between the newlines.
    /// - Returns: the records in order, and whether the line is undamaged.
    static func proven(in line: ArraySlice<UInt8>) -> (records: [MemoRecord], isAll: Bool) {
        if let record = MemoRecord(line: line) { return ([record], true) }
        var records: [MemoRecord] = []
        var next = line.startIndex
        for start in starts(in: line) where start >= next {
            // The longest possible record is tried first, for what looks like an end may be part of the text.
            for end in ends(in: line[start...]).reversed() {
                guard let record = MemoRecord(line: line[start..<end]) else { continue }
                records.append(record)
                next = end
                break
            }
        }
        return (records, false)
    }

    /// The most beginnings that are tried, which limits the time; damage makes fewer.
    private static let mostStarts = 50

    /// The places where a line may begin, which are those of eight hexadecimal digits, a space and a brace.
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

    /// The places where a line that begins at the start of `line` may end: after each brace up to which its checksum is right.
    private static func ends(in line: ArraySlice<UInt8>) -> [Int] {
        guard let wanted = UInt32(String(decoding: line.prefix(digitCount), as: UTF8.self), radix: 16) else {
            return []
        }
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
