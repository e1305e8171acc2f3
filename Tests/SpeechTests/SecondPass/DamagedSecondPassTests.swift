import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

@Suite("A damaged model of the second pass")
struct DamagedSecondPassTests {
    private let folder = TemporaryFolder()
    private static let sentences = ["weekdays-awb", "commands-slt"].map { try! Fixture.named($0).samples() }

    @Test(
        "costs no request its outcome, leaves no process and no descriptor, and is reported at most once", .secondPass,
        .long)
    func damaged() async throws {
        let setup = try #require(SecondPassRig.setup)
        var damaged = setup
        damaged.model = folder.file("damaged.gguf")
        // The first worker leaves threads of Dispatch, with their descriptors.
        let (whole, _) = await Self.decode(setup)
        #expect(whole.allSatisfy { $0.kind == "text" })
        let before = ProcessFigures.now.descriptors
        let seed = SplitMix64.given ?? 1
        var kinds: [String: Int] = [:]
        for number in 0..<UInt64(Tier.count(2, long: 5, "UTTER_SECOND_PASS_DAMAGES")) {
            var damage = SecondPassDamage(seed: seed + number)
            try damage.copy(setup.model, to: damaged.model)
            let (outcomes, reports) = await Self.decode(damaged)
            for outcome in outcomes {
                guard case .text(let text) = outcome else { continue }
                for piece in [text.text] + text.words.map(\.text) + text.segments.map(\.text) {
                    let hasControls = piece.unicodeScalars.contains { CharacterSet.controlCharacters.contains($0) }
                    #expect(!hasControls, "\(damage): \(piece)")
                }
                if case .speech(let spoken) = Plausibility.judge(text, seconds: 3) {
                    #expect(!Repetition.isFound(in: spoken.text), "\(damage): \(spoken.text)")
                }
            }
            #expect(reports.count <= 1, "\(damage): \(reports)")
            for report in reports {
                #expect(!report.hasSuffix(".") && !report.contains("\n"), "\(damage): \(report)")
            }
            #expect(SecondPassRig.children.isEmpty && ProcessFigures.now.descriptors <= before, "\(damage)")
            let kind =
                outcomes == whole
                ? "as if it were whole" : Set(outcomes.map(\.kind)).sorted().joined(separator: " and ")
            kinds[kind, default: 0] += 1
            print("\(damage): \(kind); \(outcomes)")
        }
        print("\(kinds.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))")
    }

    /// Decodes two sentences with a host of their own.
    private static func decode(_ setup: WorkerSetup) async -> (outcomes: [DecodingOutcome], reports: [String]) {
        let reports = Collected<String>()
        // Some damaged weights make the worker compute without end.
        let host = SecondPassRig.real(setup, time: .fast(8), reports: reports)
        var outcomes: [DecodingOutcome] = []
        for sentence in sentences { outcomes.append(await host.decode(sentence)) }
        await host.closeAndWait()
        return (outcomes, reports.all)
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
