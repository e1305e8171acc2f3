/// The traits of a machine that decide which models it can bear.
public struct Machine: Hashable, Sendable {
    /// The memory of the machine, in bytes.
    public var memory: Int
    /// The speed of decoding, as a multiple of the machine's whose measurements the catalog has.
    public var speed: Double

    /// The machine of the catalog's measurements: a laptop of 2020, with eight cores and 16 GB.
    public static let laptop = Machine(memory: 16 << 30, speed: 1)

    /// Creates a machine with its memory, in bytes, and its speed, as a multiple of the laptop's.
    public init(memory: Int, speed: Double) { (self.memory, self.speed) = (memory, speed) }

    /// The least bearable speed, in seconds of speech decoded in one second: a sentence of six seconds takes two.
    static let leastSpeed = 3.0

    /// Returns the seconds of speech that a model decodes here in one second; nil if the catalog has no measurement.
    public func speed(of model: CatalogModel) -> Double? {
        model.secondPass?.speed.map { $0.timesRealTime * speed }
    }

    /// Returns whether a model leaves half of the memory to others. One whose size is not known counts as small.
    func hasRoom(for model: CatalogModel) -> Bool { (model.workingMemory ?? 0) <= memory / 2 }

    /// Returns whether a model decodes fast enough. One whose speed is not known counts as fast.
    func isFastEnough(for model: CatalogModel) -> Bool { speed(of: model).map { $0 >= Self.leastSpeed } ?? true }
}

extension CatalogModel {
    /// The memory that a model for the second pass takes at work, in bytes: its weights and, with Whisper tiny.en and
    /// base, 90 to 100 MB. nil if the size is not known.
    public var workingMemory: Int? { pass == .second ? size.map { $0 + 100_000_000 } : nil }
}
