/// Turns the probabilities of frames into ranges of speech, by the rules of Silero's own `get_speech_timestamps`.
///
/// Speech begins with a frame of at least the threshold, and ends where a pause begins that lasts long enough. A frame
/// in a pause is below the threshold by a margin, so that a probability that wavers around it cuts nothing. Neither end
/// is moved outwards. It is pure state.
struct SpeechRanges {
    /// The ranges, in samples, ascending. If `isOpen`, the last one ends with the last frame, for now.
    private(set) var ranges: [Range<Int64>] = []
    /// Whether the last range goes on.
    private(set) var isOpen = false
    /// The end of the last frame, in samples.
    private(set) var heard: Int64 = 0

    private let threshold: Float
    /// Where speech began that goes on; nil in silence. It has no range before it has lasted for a moment.
    private var beginning: Int64?
    /// Where the pause began that ends the speech if it lasts.
    private var pause: Int64?

    /// How far below the threshold a frame in a pause is: Silero's own margin, and its smallest lower threshold.
    private static let (margin, lowest): (Float, Float) = (0.15, 0.01)
    /// The shortest speech, 100 ms in samples. Silero's 250 ms would lose a short "no".
    private static let shortestSpeech: Int64 = 1_600
    /// The shortest pause, 100 ms in samples: Silero's own.
    static let shortestPause: Int64 = 1_600

    /// - Parameter threshold: the probability from which a frame is speech.
    init(threshold: Float) { self.threshold = threshold }

    /// Adds the next frame, of so many samples.
    mutating func hear(_ probability: Float, length: Int) {
        let start = heard
        heard += Int64(length)
        if probability >= threshold {
            pause = nil
            if beginning == nil { beginning = start }
        } else if probability < max(threshold - Self.margin, Self.lowest), beginning != nil {
            pause = pause ?? start
        }
        if let pause, heard - pause >= Self.shortestPause {
            close(at: pause)
        } else if let beginning {
            update(from: beginning)
        }
    }

    /// Ends the range that is open: where the speaker paused last, or with the last frame.
    mutating func finish() { close(at: pause ?? heard) }

    /// Forgets the ranges that end before a sample. An open one stays.
    mutating func forget(before sample: Int64) {
        let kept = ranges.firstIndex { $0.upperBound >= sample } ?? ranges.endIndex
        ranges.removeFirst(isOpen ? min(kept, ranges.count - 1) : kept)
    }

    /// Opens the range if it has lasted for long enough; an open one goes on to the last frame.
    private mutating func update(from beginning: Int64) {
        if isOpen {
            ranges[ranges.count - 1] = beginning..<heard
        } else if pause == nil, heard - beginning >= Self.shortestSpeech {
            ranges.append(beginning..<heard)
            isOpen = true
        }
    }

    private mutating func close(at end: Int64) {
        if isOpen, let beginning { ranges[ranges.count - 1] = beginning..<end }
        (isOpen, beginning, pause) = (false, nil, nil)
    }
}
