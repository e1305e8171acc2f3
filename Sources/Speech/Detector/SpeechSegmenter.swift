/// Finds where in a stream of sound somebody speaks, with Silero's network.
///
/// It hears 16-bit samples at 16 kHz, in pieces of any length: they are cut into frames, raised if they are quiet
/// (`SpeechLevel`), judged (`SileroNetwork`), and the judgements become ranges (`SpeechRanges`). The ranges depend
/// only on the samples, not on the pieces nor on the machine. It is pure state: a copy hears on its own.
struct SpeechSegmenter {
    /// How readily sound is taken for speech.
    typealias Sensitivity = SpeechDetector.SensitivityLevel

    private let weights: SileroWeights
    private let sensitivity: Sensitivity
    private var network: SileroNetwork
    private var level = SpeechLevel()
    private var speech: SpeechRanges
    /// The frame that is being filled, from -1 to 1, and how much of it is.
    private var frame = [Float](repeating: 0, count: SileroNetwork.frameLength)
    private var filled = 0
    /// What was heard so far, while a range may be judged again; nil later.
    private var beginning: [Int16]? = []
    /// The range that may be no speech, which is not reported, and its greatest probability.
    private var doubtful: Range<Int64>?
    private var peak: Float = 0

    /// A network that has heard nothing takes a moment of music or of many voices for speech: in 10 of 288 beginnings. So a range that
    /// begins in the first second, is short and never sure is judged again by one that has heard what is behind it: 2 are left. In what
    /// begins with the stream, the network may be sure of more, and for longer. Of 792 parts of words, 8 are lost, all in noise 10 dB
    /// below their peak. All in samples.
    private static let (latest, longest, sure): (Int64, Int64, Float) = (16_000, 8_000, 0.9)
    private static let (latestOfFirst, longestOfFirst): (Int64, Int64) = (1_600, 48_000)
    private static let second = 16_000
    /// How much sound behind a range the network hears first, and the least that is of use, in samples.
    private static let (behind, leastBehind): (Int64, Int64) = (32_000, 4_800)

    /// Creates a segmenter that has heard nothing.
    init(weights: SileroWeights, sensitivity: Sensitivity = .medium) {
        (self.weights, self.sensitivity) = (weights, sensitivity)
        network = SileroNetwork(weights: weights)
        speech = SpeechRanges(threshold: sensitivity.threshold)
    }

    /// The ranges of speech, in samples since the first one heard, ascending. Speech is reported once it has lasted for
    /// 100 ms, with its true beginning, and so is its end; near the beginning of the stream, when it is sure or has
    /// lasted for longer. Only the last range can be open.
    var ranges: [Range<Int64>] { doubtful == nil ? speech.ranges : [] }
    /// Whether the last range is open: its upper bound is then the end of the last frame that was judged.
    var isSpeaking: Bool { doubtful == nil && speech.isOpen }
    /// The number of samples judged so far.
    var heard: Int64 { doubtful?.lowerBound ?? speech.heard }
    /// The number of samples until the next frame is judged.
    var untilJudgement: Int { frame.count - filled }

    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) {
        if let known = beginning?.count {
            let needed = Int(Self.latest + Self.longestOfFirst + Self.behind)
            beginning?.append(contentsOf: samples.prefix(max(0, needed - known)))
        }
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
        judgeBeginning(isLast: true)
        beginning = nil
    }

    /// Forgets the ranges that end before a sample. An open one stays.
    mutating func forget(before sample: Int64) {
        if doubtful == nil { speech.forget(before: sample) }
    }

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
        peak = max(peak, probability)
        judgeBeginning()
    }

    /// Decides whether the first range is in doubt, and what is in doubt once enough was heard.
    private mutating func judgeBeginning(isLast: Bool = false) {
        guard beginning != nil else { return }
        guard let first = speech.ranges.first else {
            if speech.heard > 2 * Self.latest { beginning = nil }
            return
        }
        let isFirst = first.lowerBound < Self.latestOfFirst
        let isClear = isFirst ? first.count >= Self.longestOfFirst : first.count >= Self.longest || peak >= Self.sure
        if first.lowerBound >= Self.latest || isClear { return takeBeginning() }
        doubtful = first
        if speech.isOpen && speech.ranges.count == 1 {
            // Each second: long speech is found again by a network that has heard its second half.
            let isDue = first.count / Self.second > (first.count - frame.count) / Self.second
            let middle = first.lowerBound + Int64(first.count / 2 / frame.count * frame.count)
            if isDue, isFoundAgain(first, after: middle..<first.upperBound) { takeBeginning() }
            return
        }
        let behind = first.upperBound..<min(first.upperBound + Self.behind, speech.heard)
        guard isLast || speech.ranges.count > 1 || behind.count == Self.behind else { return }
        if behind.count < Self.leastBehind || isFoundAgain(first, after: behind) { return takeBeginning() }
        (doubtful, peak) = (nil, 0)
        speech.forget(before: first.upperBound + 1)
    }

    /// Nothing is in doubt any more.
    private mutating func takeBeginning() { (beginning, doubtful) = (nil, nil) }

    /// Whether a network that has heard some sound behind the beginning of a range finds speech in the range.
    private func isFoundAgain(_ range: Range<Int64>, after sound: Range<Int64>) -> Bool {
        guard let beginning else { return true }
        let warming = sound.count / frame.count * frame.count
        let start = Int(sound.lowerBound)
        var other = SpeechSegmenter(weights: weights, sensitivity: sensitivity)
        other.beginning = nil
        // From the beginning of the stream, since a weak word is found late.
        (beginning[start..<start + warming] + beginning[..<Int(range.upperBound)])
            .withUnsafeBufferPointer { other.hear($0) }
        other.finish()
        return other.ranges.contains { $0.upperBound > Int64(warming) }
    }
}
