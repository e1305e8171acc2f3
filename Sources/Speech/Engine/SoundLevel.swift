/// Says of each hundredth of a second whether it is louder than what was quiet before. Pure state.
struct SoundLevel {
    /// In samples.
    let frameLength: Int

    /// The mean square below which all is silence: -54 dBFS.
    private static let quiet: Float = 4_300
    /// How far speech rises above what was before: 10 dB.
    private static let rise: Float = 10

    private var sumOfSquares: Float = 0
    /// Samples of the frame that is not whole.
    private(set) var count = 0
    /// The mean square of what is not speech; falls at once and rises slowly.
    private var background: Float?

    /// - Parameter sampleRate: in Hz.
    init(sampleRate: Int) { frameLength = sampleRate / 100 }

    /// Takes a sample in.
    ///
    /// - Returns: the mean square of the frame that is whole with it.
    mutating func hear(_ sample: Int16) -> Float? {
        let value = Float(sample)
        sumOfSquares += value * value
        count += 1
        guard count == frameLength else { return nil }
        defer { (sumOfSquares, count) = (0, 0) }
        return sumOfSquares / Float(frameLength)
    }

    /// Whether a frame is loud. One that is not tells what is quiet.
    mutating func isLoud(_ meanSquare: Float) -> Bool {
        let before = background ?? meanSquare
        if meanSquare > max(Self.quiet, before * Self.rise) { return true }
        background = min(meanSquare, before * 1.02 + 1)
        return false
    }
}
