import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("The table of contents of a model's file")
struct ModelFileTableTests {
    private static let weights = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    private static func table(_ bytes: [UInt8]) throws -> ModelFileTable {
        try ModelFileTable(size: bytes.count) { Array(bytes[$0..<$0 + $1]) }
    }

    private static func refusal(_ bytes: [UInt8]) throws -> String? {
        do {
            _ = try table(bytes)
            return nil
        } catch let failure as ModelFileTable.Failure {
            return failure.reason
        }
    }

    @Test("says how long the file must be, and a file that is cut anywhere is refused")
    func cut() throws {
        let whole = GGUFExample.file(Self.weights)
        #expect(try Self.table(whole).neededSize == whole.count)
        // More may follow.
        #expect(try Self.table(whole + [0, 0]).neededSize == whole.count)
        for count in 0..<whole.count {
            let reason = try #require(try Self.refusal(Array(whole.prefix(count))))
            #expect(reason.hasPrefix("is cut off: "), "\(count)")
        }
        #expect(
            try Self.refusal(whole.dropLast()) == "is cut off: it has \(whole.count - 1) of \(whole.count) bytes")
    }

    @Test("ends with the file, which may become shorter while it is read")
    func shrinking() throws {
        let whole = GGUFExample.file(Self.weights)
        for count in 0..<(whole.count - Self.weights.count - 64) {
            #expect(throws: ModelFileTable.Failure.self, "\(count)") {
                try ModelFileTable(size: whole.count) { Array(whole.prefix(count).dropFirst($0).prefix($1)) }
            }
        }
    }

    @Test("is not believed: whatever else it says is refused or read in no time")
    func damaged() throws {
        let whole = GGUFExample.file([1], languages: ["de", "fr"])
        #expect(try Self.refusal(Array("<html></html>".utf8)) == "is not a GGUF file")
        #expect(try Self.refusal(Array("GGUF, but for the rest".utf8)) == "is a GGUF file of an unknown version")
        var random = SplitMix64(seed: SplitMix64.given ?? 1)
        for _ in 0..<Tier.count(5000, long: 100_000) {
            var bytes = whole
            for _ in 0...Int(random.next() % 4) {
                bytes[4 + Int(random.next() % UInt64(bytes.count - 4))] = UInt8(truncatingIfNeeded: random.next())
            }
            // It throws nothing else, and does not crash.
            _ = try Self.refusal(bytes)
            _ = ModelFileTable.languages(size: bytes.count) { Array(bytes[$0..<$0 + $1]) }
        }
        // Counts and sizes that no file has.
        for place in [8, 16, 24] {
            var bytes = whole
            for index in place..<place + 8 { bytes[index] = 0xFF }
            #expect(try Self.refusal(bytes) != nil)
        }
    }

    @Test("of the model that setup makes says its very size and its language", .secondPass)
    func real() throws {
        let file = try ArchiveFile(path: try #require(SecondPassRig.setup).model)
        #expect(try ModelFileTable(size: file.size, read: file.read).neededSize == file.size)
        let said = try #require(ModelFileTable.languages(size: file.size, read: file.read))
        #expect(said.architecture == "whisper" && said.codes == ["en"])
    }
}
