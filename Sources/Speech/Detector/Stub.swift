struct SpeechSegmenter {
    enum Sensitivity { case low, medium, high }
    init(weights: SileroWeights, sensitivity: Sensitivity = .medium) {}
    mutating func hear(_ samples: UnsafeBufferPointer<Int16>) {}
    mutating func finish() {}
    private(set) var ranges: [Range<Int64>] = []
    var isSpeaking: Bool { false }
    var heard: Int64 { 0 }
    mutating func forget(before: Int64) {}
}
