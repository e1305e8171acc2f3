/// Finds out whether channels cancel each other when they are mixed: all the way, or in stretches of a second.
///
/// A stretch is measured in the band of speech alone: hum and rumble are often the same on both wires of a balanced line, and stay in the mix.
struct CancellationMeter {
    /// The energies of a mix and of a channel, on average.
    private struct Energy {
        var mix = 0.0
        var channel = 0.0

        var isCancelled: Bool { mix < CancellationMeter.cancelled * channel }

        mutating func add(sum: Double, squares: Double, channelCount: Double) {
            mix += sum * sum / (channelCount * channelCount)
            channel += squares / channelCount
        }
    }

    /// A high-pass filter of two equal stages.
    private struct Filter {
        private var (input, middle, output) = (0.0, 0.0, 0.0)

        mutating func filtered(_ sample: Double, _ coefficient: Double) -> Double {
            let first = coefficient * (middle + sample - input)
            output = coefficient * (output + first - middle)
            (input, middle) = (sample, first)
            return output
        }
    }

    private let channelCount: Int
    private let stretchFrameCount: Int
    private let coefficient: Double
    private var filters: [Filter]
    private var whole = Energy()
    private var stretch = Energy()
    private var frameCount = 0
    /// The energies of the stretches in which the channels cancel each other, and of all stretches together.
    private var cancelledStretches: [Double] = []
    private var allStretches = (count: 0, energy: 0.0)

    /// The energy of a mix beside that of a channel, below which its channels cancel each other: 26 dB.
    private static let cancelled = 0.0025
    /// The mean square of a channel below which a stretch is quiet: -60 dB.
    private static let quiet = 1e-6
    /// The energy of a stretch beside the mean, below which it is a pause: 20 dB. Noise of a radio receiver cancels itself in the mix.
    private static let pause = 0.01
    /// The number of stretches that are enough, in any places.
    private static let enough = 3
    /// The frequency, in Hz, above which a stretch is measured.
    private static let lowest = 300.0

    init(sampleRate: Int, channelCount: Int) {
        self.channelCount = channelCount
        stretchFrameCount = sampleRate
        coefficient = 1 / (1 + 2 * Double.pi * Self.lowest / Double(sampleRate))
        filters = [Filter](repeating: Filter(), count: channelCount)
    }

    var isCancelled: Bool {
        let least = Self.pause * allStretches.energy / Double(max(1, allStretches.count))
        return whole.isCancelled || cancelledStretches.count { $0 >= least } >= Self.enough
    }

    /// Adds whole interleaved frames.
    mutating func add(_ samples: ArraySlice<Float>) {
        for start in stride(from: samples.startIndex, to: samples.endIndex, by: channelCount) {
            var (sum, squares, sumOfSpeech, squaresOfSpeech) = (0.0, 0.0, 0.0, 0.0)
            for channel in 0..<channelCount {
                let sample = samples[start + channel].isFinite ? Double(samples[start + channel]) : 0
                let speech = filters[channel].filtered(sample, coefficient)
                sum += sample
                squares += sample * sample
                sumOfSpeech += speech
                squaresOfSpeech += speech * speech
            }
            whole.add(sum: sum, squares: squares, channelCount: Double(channelCount))
            stretch.add(sum: sumOfSpeech, squares: squaresOfSpeech, channelCount: Double(channelCount))
            frameCount += 1
            if frameCount == stretchFrameCount { endStretch() }
        }
    }

    private mutating func endStretch() {
        let isLoud = stretch.channel > Self.quiet * Double(frameCount)
        if isLoud, stretch.isCancelled { cancelledStretches.append(stretch.channel) }
        allStretches = (allStretches.count + 1, allStretches.energy + stretch.channel)
        (stretch, frameCount) = (Energy(), 0)
    }
}
