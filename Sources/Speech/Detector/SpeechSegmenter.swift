/// Finds where in a stream of sound somebody speaks, with Silero's network.
///
/// It hears 16-bit samples at 16 kHz, in pieces of any length: they are cut into frames, raised if they are quiet
/// (`SpeechLevel`), judged (`SileroNetwork`), and the judgements become ranges (`SpeechRanges`). The ranges depend
/// only on the samples, not on the pieces nor on the machine. It is pure state: a copy hears on its own.
struct SpeechSegmenter {
    /// How readily sound is taken for speech.
    typealias Sensitivity = SpeechDetector.SensitivityLevel

    private var network: SileroNetwork
    private var level = SpeechLevel()
    private var speech: SpeechRanges
    /// The frame that is being filled, from -1 to 1, and how much of it is.
    private var frame = [Float](repeating: 0, count: SileroNetwork.frameLength)
    private var filled = 0

    /// Creates a segmenter that has heard nothing.
    init(weights: SileroWeights, sensitivity: Sensitivity = .medium) {
        network = SileroNetwork(weights: weights)
        speech = SpeechRanges(threshold: sensitivity.threshold)
    }

    /// The ranges of speech, in samples since the first one heard, ascending. Speech is reported once it has lasted for
    /// 100 ms, with its true beginning, and so is its end. Only the last range can be open.
    var ranges: [Range<Int64>] { speech.ranges }
    /// Whether the last range is open: its upper bound is then the end of the last frame that was judged.
    var isSpeaking: Bool { speech.isOpen }
    /// The number of samples judged so far.
    var heard: Int64 { speech.heard }
    /// The number of samples until the next frame is judged.
    var untilJudgement: Int { frame.count - filled }

    /// Hears samples.
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) {
        var taken = 0
        while taken < samples.count {
            let count = min(samples.count - taken, frame.count - filled)
            frame.withUnsafeMutableBufferPointer { frame in
                var index = 0
                while index < count {
                    frame[filled &+ index] = Float(samples[taken &+ index]) * (1 / 32_768)
                    index &+= 1
                }
            }
            (taken, filled) = (taken + count, filled + count)
            if filled == frame.count { judge() }
        }
    }

    /// Judges the last incomplete frame, with zeros behind it, and closes the range that is open. What follows is
    /// heard as after a pause.
    mutating func finish() {
        if filled > 0 {
            for index in filled..<frame.count { frame[index] = 0 }
            judge()
        }
        speech.finish()
    }

    /// Forgets the ranges that end before a sample. An open one stays.
    mutating func forget(before sample: Int64) { speech.forget(before: sample) }

    private mutating func judge() {
        let probability = frame.withUnsafeMutableBufferPointer { frame in
            var peak: Float = 0
            var index = 0
            while index < frame.count {
                peak = max(peak, abs(frame[index]))
                index &+= 1
            }
            let gain = level.gain(forPeak: peak)
            index = 0
            while index < frame.count {
                frame[index] *= gain
                index &+= 1
            }
            return network.probability(of: UnsafeBufferPointer(frame))
        }
        speech.hear(probability, length: filled)
        filled = 0
    }
}
