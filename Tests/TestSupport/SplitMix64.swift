import Foundation

/// A generator that gives the same numbers for the same seed, everywhere and for ever.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    /// What replays it.
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// A generator with a seed that is printed. `UTTER_SEED` replays one.
    ///
    /// - Parameter test: what the seed is printed with.
    public init(for test: String) {
        let given = ProcessInfo.processInfo.environment["UTTER_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? .random(in: 0...(.max)))
        print("\(test): UTTER_SEED=\(seed)")
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
