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

    /// A generator with a seed that is printed: always the same in the quick tier, another in each run of the long one.
    /// `UTTER_SEED` replays one.
    ///
    /// - Parameter test: what the seed is printed with.
    public init(for test: String) {
        self.init(seed: Self.given ?? (Tier.current == .long ? .random(in: 0...(.max)) : Self.hash(of: test)))
        // Not by `print`, whose buffer a crash would take along.
        FileHandle.standardError.write(Data("\(test): UTTER_SEED=\(seed)\n".utf8))
    }

    /// What `UTTER_SEED` says.
    public static let given = ProcessInfo.processInfo.environment["UTTER_SEED"].flatMap { UInt64($0) }

    /// FNV-1a, which is the same in every process.
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
