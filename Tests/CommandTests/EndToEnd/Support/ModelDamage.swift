import Foundation
import TestSupport

/// Damage to one file of a model that libvosk reads: some bytes are changed, and sometimes the end is missing, depending on a seed.
struct ModelDamage {
    let seed: UInt64
    /// The path of the damaged file, relative to the model's folder.
    private(set) var file = ""

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        file = Self.files[Self.number(below: Self.files.count, &random)]
    }

    /// The files that may be damaged; large ones are damaged more often.
    private static let files =
        Array(repeating: "am/final.mdl", count: 4) + Array(repeating: "graph/HCLr.fst", count: 4)
        + Array(repeating: "graph/Gr.fst", count: 3)
        + [
            "graph/words.txt", "conf/mfcc.conf", "conf/model.conf", "graph/phones/word_boundary.int",
            "graph/disambig_tid.int",
        ]

    /// Replaces a folder by a damaged copy of the built-in model.
    func copyModel(to folder: String) throws {
        var random = SplitMix64(seed: seed)
        _ = random.next()
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: Sandbox.model, toPath: folder)
        let path = URL(fileURLWithPath: folder + "/" + file)
        var bytes = Array(try Data(contentsOf: path))
        for _ in 0..<[1, 2, 10, 100][Self.number(below: 4, &random)] {
            // Damage in the beginning is more likely, because it describes the rest.
            let reach = Self.number(below: 2, &random) == 0 ? min(200, bytes.count) : bytes.count
            let index = Self.number(below: reach, &random)
            bytes[index] = UInt8(truncatingIfNeeded: random.next())
        }
        if Self.number(below: 10, &random) == 0 { bytes.removeSubrange(Self.number(below: bytes.count, &random)...) }
        try Data(bytes).write(to: path)
    }

    /// A random number below a limit. It is not made with `Int.random(in:)`, which may change in another version of Swift: the
    /// damage of a seed must stay the same.
    private static func number(below limit: Int, _ random: inout SplitMix64) -> Int {
        Int(random.next() % UInt64(limit))
    }
}
