import Foundation

/// A generator that gives the same numbers for the same seed, everywhere and for ever.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A generator with a seed that is printed. `UTTER_TEST_SEED` replays one.
    init(for test: String) {
        let seed = ProcessInfo.processInfo.environment["UTTER_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...(.max))
        print("\(test): UTTER_TEST_SEED=\(seed)")
        self.init(seed: seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Array where Element == Int16 {
    /// The samples in blocks of random lengths, short and long ones alike.
    func cut(upTo longest: Int, using generator: inout SplitMix64) -> [[Int16]] {
        var blocks: [[Int16]] = []
        var rest = self[...]
        while !rest.isEmpty {
            let scale = [10, 1000, longest].randomElement(using: &generator)!
            let block = rest.prefix(Int.random(in: 1...Swift.min(scale, longest), using: &generator))
            blocks.append(Array(block))
            rest = rest.dropFirst(block.count)
        }
        return blocks
    }

    func cut(into length: Int) -> [[Int16]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}
