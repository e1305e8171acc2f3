import Audio
import Foundation
import TestSupport
import Testing

@testable import Speech

/// A recording and what is said in it.
struct Fixture: Sendable, CustomTestStringConvertible {
    let path: String
    let transcript: String
    /// The vocabulary that the built-in model needs to recognize it.
    var phrases: [String] = []

    var name: String { String(path.split(separator: "/").last ?? "") }
    var testDescription: String { name }

    /// All samples of the file, at its rate, which is the model's.
    func samples() throws -> [Int16] {
        let reader = try WAVReader(source: FileByteSource(path: path))
        let blocks = try AudioBlockReader(reader, sampleRate: 16_000)
        var samples: [Int16] = []
        while let block = try blocks.next()?.first { samples += block.samples }
        return samples
    }

    static let all = try! table(in: repository + "/AudioFixtures", phrasesColumn: 3)
    /// The fixtures that the model recognizes with its own vocabulary.
    static let plain = all.filter { $0.phrases.isEmpty }
    /// The fixtures; some of them in the quick tier.
    static let some = Tier.every(7, of: all)
    static let somePlain = some.filter { $0.phrases.isEmpty }
    static func named(_ name: String) -> Fixture { all.first { $0.name == name + ".wav" }! }

    /// Recordings of real people in the folder of `UTTER_RECORDINGS`; none when it is not set.
    static let recordings =
        Requirement.recordings.map { try! table(in: $0, phrasesColumn: nil) } ?? []

    static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path
    static let modelPath = repository + "/Models/vosk-model-tiny-en"

    private static func table(in folder: String, phrasesColumn: Int?) throws -> [Fixture] {
        let text = try String(contentsOfFile: folder + "/transcripts.tsv", encoding: .utf8)
        let rows = text.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        let textColumn = rows[0].firstIndex(of: "transcript")!
        return rows.dropFirst().map { row in
            let phrases = phrasesColumn.map { row.count > $0 ? row[$0] : "" } ?? ""
            return Fixture(
                path: folder + "/" + row[0], transcript: row[textColumn],
                phrases: phrases.split(separator: ",").map(String.init))
        }
    }
}
