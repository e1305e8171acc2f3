import Foundation

/// A generator that returns the same numbers for the same seed on every machine and in every version.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    /// The seed, which reproduces the numbers.
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Creates a generator with a seed that is printed. The seed is constant in the quick tier, and differs in each run of the long
    /// one. `UTTER_SEED` sets it.
    ///
    /// - Parameter test: the name that is printed with the seed.
    public init(for test: String) {
        self.init(seed: Self.given ?? (Tier.current == .long ? .random(in: 0...(.max)) : Self.hash(of: test)))
        // Not with `print`, whose buffer would be lost in a crash.
        FileHandle.standardError.write(Data("\(test): UTTER_SEED=\(seed)\n".utf8))
    }

    /// The seed in `UTTER_SEED`; nil when it is not set.
    public static let given = ProcessInfo.processInfo.environment["UTTER_SEED"].flatMap { UInt64($0) }

    /// The FNV-1a hash of a text, which is the same in every process.
    private static func hash(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
