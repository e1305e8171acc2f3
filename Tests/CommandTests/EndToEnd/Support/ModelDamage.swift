import Foundation
import TestSupport

/// Damage to one file of a model that libvosk reads: some bytes are others, and sometimes the end is missing. A seed says which.
struct ModelDamage {
    let seed: UInt64
    /// Relative to the model's folder.
    private(set) var file = ""

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        file = Self.files[Self.number(below: Self.files.count, &random)]
    }

    /// The large ones are damaged more often.
    private static let files =
        Array(repeating: "am/final.mdl", count: 4) + Array(repeating: "graph/HCLr.fst", count: 4)
        + Array(repeating: "graph/Gr.fst", count: 3)
        + ["graph/words.txt", "conf/mfcc.conf", "conf/model.conf", "graph/phones/word_boundary.int", "graph/disambig_tid.int"]

    /// Makes a damaged copy of the built-in model in place of whatever is there.
    func copyModel(to folder: String) throws {
        var random = SplitMix64(seed: seed)
        _ = random.next()
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: Sandbox.model, toPath: folder)
        let path = URL(fileURLWithPath: folder + "/" + file)
        var bytes = Array(try Data(contentsOf: path))
        for _ in 0..<[1, 2, 10, 100][Self.number(below: 4, &random)] {
            // The beginning says what everything else is.
            let reach = Self.number(below: 2, &random) == 0 ? min(200, bytes.count) : bytes.count
            let index = Self.number(below: reach, &random)
            bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
        if Self.number(below: 10, &random) == 0 { bytes.removeSubrange(Self.number(below: bytes.count, &random)...) }
        try Data(bytes).write(to: path)
    }

    /// Not Swift's own way from numbers to a range, which another version may change: a seed is to damage the same for ever.
    private static func number(below limit: Int, _ random: inout SplitMix64) -> Int { Int(random.next() % UInt64(limit)) }
}
