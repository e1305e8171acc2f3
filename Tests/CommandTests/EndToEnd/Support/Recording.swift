import Foundation
import TestSupport
import Testing

struct Recording: Sendable, CustomTestStringConvertible {
    var path: String
    var transcript: String
    /// The vocabulary that is needed to recognize it; empty for the model's own.
    var phrases: [String] = []

    var name: String { URL(fileURLWithPath: path).lastPathComponent }
    var testDescription: String { name }

    static let fixtures = read(Sandbox.root + "/AudioFixtures", transcriptColumn: 2, phrasesColumn: 3)

    static let people = Requirement.recordings.map { read($0, transcriptColumn: 1, phrasesColumn: nil) } ?? []

    static let all = fixtures + people

    /// The recordings; some of them in the quick tier.
    static let some = Tier.every(5, of: all)

    static func named(_ name: String) -> Recording { all.first { $0.name == name }! }

    /// The samples; these files have one channel of 16 bits.
    var samples: [Int16] { Sound.samples(ofFile: path) }

    private static func read(_ folder: String, transcriptColumn: Int, phrasesColumn: Int?) -> [Recording] {
        let text = try! String(contentsOfFile: folder + "/transcripts.tsv", encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let phrases = phrasesColumn.flatMap { columns.count > $0 ? columns[$0] : nil } ?? ""
            return Recording(
                path: folder + "/" + columns[0], transcript: columns[transcriptColumn],
                phrases: phrases.split(separator: ",").map(String.init))
        }
    }
}

enum Sound {
    static func samples(ofFile path: String) -> [Int16] {
        let bytes = [UInt8](FileManager.default.contents(atPath: path) ?? Data())
        var offset = 12
        while offset + 8 <= bytes.count {
            let size = bytes[offset + 4..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            if Array(bytes[offset..<offset + 4]) == Array("data".utf8) {
                return Samples.read(bytes[(offset + 8)...].prefix(size))
            }
            offset += 8 + size + size % 2
        }
        return []
    }

    static func bytes(of samples: [Int16]) -> [UInt8] { Samples.bytes(samples) }

    /// Makes a WAV file.
    ///
    /// - Parameters:
    ///   - body: the encoded samples.
    ///   - isExtensible: whether the header has the format WAVE_FORMAT_EXTENSIBLE.
    static func wav(
        _ body: [UInt8], tag: Int = 1, bits: Int = 16, rate: Int = 16_000, channelCount: Int = 1,
        isExtensible: Bool = false,
        dataSize: Int? = nil
    ) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let frame = channelCount * bits / 8
        var format =
            number(isExtensible ? 0xFFFE : tag, 2) + number(channelCount, 2) + number(rate, 4) + number(rate * frame, 4)
            + number(frame, 2) + number(bits, 2)
        if isExtensible {
            format += number(22, 2) + number(bits, 2) + number(0, 4) + number(tag, 2)
            format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        }
        return Array("RIFF".utf8) + number(20 + format.count + body.count, 4) + Array("WAVEfmt ".utf8)
            + number(format.count, 4)
            + format + Array("data".utf8) + number(dataSize ?? body.count, 4) + body
    }
}

/// The output of `--format jsonl` for one recording.
struct JSONTranscript {
    struct Word: Equatable {
        var text: String
        var start: Double
        var end: Double
    }

    struct Segment: Equatable {
        var text: String
        var start: Double
        var end: Double
        var words: [Word]
        var channel: Int?
    }

    var segments: [Segment] = []
    var duration: Double?

    var text: String { segments.map(\.text).joined(separator: " ") }
    var words: [Word] { segments.flatMap(\.words) }

    /// Parses the output for several recordings; the result is by file.
    static func parse(lines: String) throws -> [String: JSONTranscript] {
        var transcripts: [String: JSONTranscript] = [:]
        for line in lines.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let file = try #require(object["file"] as? String)
            if object["type"] as? String == "end" {
                transcripts[file, default: JSONTranscript()].duration = object["duration"] as? Double
            } else {
                transcripts[file, default: JSONTranscript()].segments.append(try segment(object))
            }
        }
        return transcripts
    }

    static func segment(_ object: [String: Any]) throws -> Segment {
        let words = try #require(object["words"] as? [[String: Any]])
        return Segment(
            text: try #require(object["text"] as? String), start: try #require(object["start"] as? Double),
            end: try #require(object["end"] as? Double),
            words: try words.map {
                Word(
                    text: try #require($0["text"] as? String), start: try #require($0["start"] as? Double),
                    end: try #require($0["end"] as? Double))
            }, channel: object["channel"] as? Int)
    }
}
