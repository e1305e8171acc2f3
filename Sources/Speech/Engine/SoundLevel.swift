/// Decides for each 10 ms of sound whether it is louder than the background. It is pure state.
struct SoundLevel {
    /// The length of a frame, in samples.
    let frameLength: Int

    /// The mean square below which everything is silence: -54 dBFS.
    private static let quiet: Float = 4_300
    /// The factor by which speech exceeds the background: 10 dB.
    private static let rise: Float = 10

    private var sumOfSquares: Float = 0
    /// The number of samples in the incomplete frame.
    private(set) var count = 0
    /// The mean square of the background, which falls at once and rises slowly.
    private var background: Float?

    /// - Parameter sampleRate: the number of samples per second, in Hz.
    init(sampleRate: Int) { frameLength = sampleRate / 100 }

    /// Adds a sample.
    ///
    /// - Returns: the mean square of the frame that the sample completes; otherwise nil.
    mutating func hear(_ sample: Int16) -> Float? {
        let value = Float(sample)
        sumOfSquares += value * value
        count += 1
        guard count == frameLength else { return nil }
        defer { (sumOfSquares, count) = (0, 0) }
        return sumOfSquares / Float(frameLength)
    }

    /// Whether a frame is loud. A frame that is not updates the background.
    mutating func isLoud(_ meanSquare: Float) -> Bool {
        let before = background ?? meanSquare
        if meanSquare > max(Self.quiet, before * Self.rise) { return true }
        background = min(meanSquare, before * 1.02 + 1)
        return false
    }
}
