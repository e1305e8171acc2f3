import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

@Suite("A damaged model of the second pass")
struct DamagedSecondPassTests {
    /// Two sentences with a pause between them.
    private static let sound = {
        let pause = [Int16](repeating: 0, count: 16_000)
        return try! Fixture.named("weekdays-awb").samples() + pause + Fixture.named("commands-slt").samples() + pause
    }()

    @Test("costs no utterance, leaves no process and no descriptor, and is reported at most once", .secondPass, .long)
    func damaged() async throws {
        let setup = try #require(SecondPassRig.setup)
        let path = FileManager.default.temporaryDirectory.path + "/damaged-\(UUID().uuidString).gguf"
        defer { unlink(path) }
        let whole = SecondPassModel(path: setup.model, library: setup.library, program: SecondPassRig.program)
        let first = try await SecondPassRig.dictate(
            [Self.sound], SecondPassModel(path: "", library: "", program: "/nonexistent/utter"), reports: Reports())
        // The first worker leaves threads of Dispatch, with their descriptors.
        let second = try await SecondPassRig.dictate([Self.sound], whole, reports: Reports())
        #expect(first.utterances.count > 1 && second.utterances.map(\.range) == first.utterances.map(\.range))
        try await Patience.wait(for: "the worker to go") { SecondPassRig.children.isEmpty }
        let before = ProcessFigures.now.descriptors
        let seed = SplitMix64.given ?? 1
        var kinds: [String: Int] = [:]
        for number in 0..<UInt64(Tier.count(2, long: 20, "UTTER_SECOND_PASS_DAMAGES")) {
            var damage = SecondPassDamage(seed: seed + number)
            try damage.copy(setup.model, to: path)
            var model = whole
            model.path = path
            let reports = Reports()
            // Some damaged weights make the worker compute without end.
            let outcome = try await SecondPassRig.dictate(
                [Self.sound], model, timeout: .seconds(20), sharesWindows: number.isMultiple(of: 2), reports: reports)
            #expect(outcome.finals.map(\.range) == second.finals.map(\.range), "\(damage)")
            for (heard, expected) in zip(outcome.utterances, first.utterances) where heard.pass == .first {
                #expect(heard.text == expected.text, "\(damage)")
            }
            for utterance in outcome.utterances {
                let text = String(utterance.text.characters)
                #expect(
                    !text.unicodeScalars.contains { CharacterSet.controlCharacters.contains($0) }, "\(damage): \(text)")
                #expect(!Repetition.isFound(in: text), "\(damage): \(text)")
            }
            #expect(
                outcome.ledger.pending == 0 && outcome.ledger.delivered == Int64(Self.sound.count),
                "\(damage): \(outcome.ledger)")
            #expect(reports.all.count <= 1, "\(damage): \(reports.all)")
            for report in reports.all {
                #expect(
                    report.contains("second pass") && !report.hasSuffix(".") && !report.contains("\n"),
                    "\(damage): \(report)")
            }
            try await Patience.wait(for: "the worker and its descriptors to go") {
                SecondPassRig.children.isEmpty && ProcessFigures.now.descriptors <= before
            }
            let kind =
                reports.all.first.map { $0.contains("there is no second pass") ? "refused" : "its process has ended" }
                ?? (outcome.utterances == second.utterances ? "as if it were whole" : "other text")
            kinds[kind, default: 0] += 1
            print(
                "\(damage): \(kind); \(outcome.utterances.map { "\($0.pass) \(String($0.text.characters).debugDescription)" })"
            )
        }
        print("\(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
    }
}

/// Damage to a GGUF file: some bytes are changed, or the end is missing, depending on a seed.
struct SecondPassDamage: CustomStringConvertible {
    let seed: UInt64
    /// The damage in words.
    private(set) var description = ""
    private var random: SplitMix64

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        random = SplitMix64(seed: random.next())
    }

    /// The ends of the header and of the metadata (the sizes, the vocabulary and the tensors' names) in the file of `Scripts/setup`.
    private static let header = 24
    private static let metadata = 1_900_000

    /// Replaces a file by a damaged copy of the model.
    mutating func copy(_ model: String, to path: String) throws {
        unlink(path)
        try FileManager.default.copyItem(atPath: model, toPath: path)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let size = Int(try file.seekToEnd())
        let kind = number(below: 10)
        if kind == 0 {
            let length = number(below: size)
            description = "seed \(seed), cut after \(length) bytes"
            return try file.truncate(atOffset: UInt64(length))
        }
        let reach = kind < 3 ? Self.header : kind < 6 ? Self.metadata : size
        let first = kind < 6 ? 0 : Self.metadata
        let count = [1, 8, 100, 10_000][number(below: 4)]
        let isStretch = number(below: 2) == 0
        let start = first + number(below: reach - first)
        description = "seed \(seed), \(count) bytes \(isStretch ? "from \(start)" : "of \(first) to \(reach)")"
        for index in 0..<count {
            let place = isStretch ? start + index : first + number(below: reach - first)
            guard place < size else { break }
            try file.seek(toOffset: UInt64(place))
            try file.write(contentsOf: [UInt8(truncatingIfNeeded: random.next())])
        }
    }

    /// A random number below a limit. It is not made with `Int.random(in:)`, which may change in another version of Swift: the damage
    /// of a seed must stay the same.
    private mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
}
