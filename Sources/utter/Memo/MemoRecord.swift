import Foundation

/// One line of a memo's journal: what has changed since the line before, after a checksum.
///
///     2f0a41c7 {"begin":{"id":"…","startedAt":1700000000,"timeZone":"Europe/Berlin"}}
///     88d1b2ee {"text":"buy milk"}
///     0b6a9f10 {"change":{"at":8,"base":"1c291ca3","drop":0,"text":" and bread"}}
///     5d0c2e91 {"keep":"buy milk and bread"}
///
/// Text in JSON has no line breaks, so a line that is torn, or was written over, spoils no other.
enum MemoRecord: Codable, Equatable {
    case begin(Beginning)
    /// All of the text.
    case text(String)
    case change(Change)
    /// The user has decided to keep it, and this is all of the text.
    case keep(String)

    struct Beginning: Codable, Equatable {
        var id: UUID
        /// In seconds since 1970.
        var startedAt: Double
        var timeZone: String
        /// In seconds; for where the zone is not known by its name.
        var secondsFromGMT: Int
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

    private enum Key: String, CodingKey { case begin, text, change, keep }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        switch values.allKeys.first {
        case .begin: self = .begin(try values.decode(Beginning.self, forKey: .begin))
        case .text: self = .text(try values.decode(String.self, forKey: .text))
        case .change: self = .change(try values.decode(Change.self, forKey: .change))
        case .keep: self = .keep(try values.decode(String.self, forKey: .keep))
        case nil:
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a record of no known kind"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .begin(let beginning): try values.encode(beginning, forKey: .begin)
        case .text(let text): try values.encode(text, forKey: .text)
        case .change(let change): try values.encode(change, forKey: .change)
        case .keep(let text): try values.encode(text, forKey: .keep)
        }
    }

    /// The line, with its newline.
    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(self)
        return Array("\(CRC32.digits(of: json)) ".utf8) + json + [UInt8(ascii: "\n")]
    }

    /// - Parameter line: without its newline.
    /// - Returns: nil when the line is damaged, or of a kind that only newer versions know.
    init?(line: some Collection<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, CRC32.digits(of: parts[1]).utf8.elementsEqual(parts[0]) else { return nil }
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(parts[1])) else { return nil }
        self = record
    }
}

/// The checksum of zip and PNG, in eight hexadecimal digits.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }

    static func digits(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(checksum(of: bytes), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
