import Foundation

/// The contents of a file of the format safetensors: a length, a table in JSON, and numbers.
struct SafetensorsFile {
    private struct Entry: Decodable {
        let dtype: String
        let shape: [Int]
        let data_offsets: [Int]
    }

    /// The length of a table that is taken for one; that of a network of few tensors is about a thousand bytes.
    private static let longestTable: UInt64 = 1 << 20

    private let path: String
    private let entries: [String: Entry]
    private let numbers: Data

    /// Reads the file of the network that detects speech.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` if it cannot be read, or has no table.
    init(path: String) throws(SpeechError) {
        self.path = path
        let contents: Data
        do {
            contents = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Self.damage(path, "it cannot be read (\(error.localizedDescription))")
        }
        let length = contents.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard contents.count >= 8, length <= Self.longestTable, length <= contents.count - 8 else {
            throw Self.damage(path, "it is too short")
        }
        let table = contents.dropFirst(8).prefix(Int(length))
        do {
            entries = try JSONDecoder().decode([String: Entry].self, from: table)
        } catch {
            throw Self.damage(path, "its table of contents cannot be read")
        }
        numbers = contents.dropFirst(8 + Int(length))
    }

    /// The numbers of a tensor, in C order.
    ///
    /// - Throws: `SpeechError` `.modelIncomplete` if it is missing, of another shape, or holds what is no finite number.
    func tensor(_ name: String, _ shape: [Int]) throws(SpeechError) -> [Float] {
        guard let entry = entries[name] else { throw Self.damage(path, "it has no \(name)") }
        let size = shape.reduce(4, *)
        guard entry.dtype == "F32", entry.shape == shape, entry.data_offsets.count == 2,
            case let start = entry.data_offsets[0], start >= 0, start <= numbers.count - size,
            entry.data_offsets[1] == start + size
        else { throw Self.damage(path, "\(name) has another shape or place") }
        let tensor = numbers.dropFirst(start).prefix(size).withUnsafeBytes { bytes in
            (0..<size / 4).map {
                Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)))
            }
        }
        guard tensor.allSatisfy(\.isFinite) else { throw Self.damage(path, "\(name) holds what is no number") }
        return tensor
    }

    private static func damage(_ path: String, _ reason: String) -> SpeechError {
        SpeechError(
            .modelIncomplete, "the network that detects speech, \(path), is damaged: \(reason); install utter again")
    }
}
