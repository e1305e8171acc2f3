import Foundation
import TestSupport
import Testing

/// Every run of the tests checks the inputs with which the fuzzing begins, and those that it has found.
@Suite("The corpus for fuzzing")
struct CorpusTests {
    private static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/../../Fuzzing/Corpus"

    /// The input that is checked.
    @TaskLocal static var input = "nothing"

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private static func inputs(_ subject: Subject) throws -> [(name: String, bytes: [UInt8])] {
        let inputs = try names("\(folder)/\(subject.rawValue)").map { name in
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(subject.rawValue)/\(name)"))
            return (name, [UInt8](bytes))
        }
        try #require(!inputs.isEmpty)
        return inputs
    }

    @Test("has a folder for each subject, and no others")
    func folders() throws {
        #expect(try Self.names(Self.folder) == Subject.allCases.map(\.rawValue).sorted())
    }

    @Test("passes every check", arguments: Subject.allCases)
    func replayed(_ subject: Subject) throws {
        for (name, bytes) in try Self.inputs(subject) {
            Self.$input.withValue("Fuzzing/Corpus/\(subject.rawValue)/\(name)") { subject.check(bytes) }
        }
        // libFuzzer begins with an empty input.
        Self.$input.withValue("no bytes") { subject.check([]) }
    }

    @Test("passes every check with random changes", arguments: Subject.allCases)
    func changed(_ subject: Subject) throws {
        let inputs = try Self.inputs(subject)
        let seed = SplitMix64(for: "changed \(subject)").seed
        for run in 0..<Tier.count(3_000, long: 6_000, "UTTER_FUZZ_RUNS") {
            // Every run has a generator of its own, so that one can be repeated alone.
            var random = SplitMix64(seed: seed &+ UInt64(run) &* 0x1_0000_0001)
            let other = inputs.randomElement(using: &random)!.bytes
            let bytes = Self.change(inputs.randomElement(using: &random)!.bytes, with: other, using: &random)
            Self.$input.withValue("seed \(seed), run \(run)") { subject.check(bytes) }
        }
    }

    /// Changes bytes in one to four places. Most of them are near the beginning, where most is decided.
    private static func change(_ input: [UInt8], with other: [UInt8], using random: inout SplitMix64) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let reach = Int.random(in: 0..<8, using: &random) == 0 ? bytes.count : min(bytes.count, 100)
            let place = Int.random(in: 0..<reach, using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...48, using: &random))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[place] = .random(in: 0...255, using: &random)
            case 2, 3:
                // Numbers of four bytes at which something may go wrong.
                let number: UInt32 = [0, 1, 15, 0x8000, 0x7FFF_FFFF, 0x8000_0000, .max].randomElement(using: &random)!
                let start = place & ~3
                for index in start..<min(bytes.count, start + 4) {
                    bytes[index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * (index - start)))
                }
            case 4: bytes.removeSubrange(place...)
            case 5: bytes.removeSubrange(place..<end)
            case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.replaceSubrange(place..., with: other.dropFirst(place))
            }
        }
        return bytes
    }
}
