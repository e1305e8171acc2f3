import Foundation

/// Values that only utter's own processes read again, as JSON.
extension Encodable {
    /// The value as JSON in one line.
    ///
    /// - Throws: `EncodingError` when it holds what JSON lacks, such as infinity.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The value as JSON in one line; `null` when it holds what JSON lacks.
    package var jsonLine: String { (try? json()).map { String(decoding: $0, as: UTF8.self) } ?? "null" }
}

extension Decodable {
    /// Reads the value from its JSON; nil when it is something else.
    package init?(json: some Sequence<UInt8>) {
        guard let value = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
        self = value
    }
}
