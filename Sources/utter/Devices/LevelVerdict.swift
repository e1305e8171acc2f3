import Foundation

/// What a test of a microphone found, by how loud it was. Pure.
struct LevelVerdict: Equatable {
    enum Finding: String {
        case silent
        case tooQuiet = "too quiet"
        case good
        case clipping
        /// Nothing came at all.
        case nothing = "no sound"
    }

    /// How loud each window of a twentieth of a second was, as the mean square of its samples.
    private var windows: [Double] = []
    private var peak = 0
    private var clippedCount = 0
    private var sampleCount = 0
    private var sumOfSquares = 0.0
    private var windowCount = 0
    private let windowLength: Int

    /// - Parameter sampleRate: in Hz.
    init(sampleRate: Int) { windowLength = max(1, sampleRate / 20) }

    mutating func add(_ samples: [Int16]) {
        for sample in samples {
            let magnitude = abs(Int(sample))
            peak = max(peak, magnitude)
            if magnitude >= 32_700 { clippedCount += 1 }
            sumOfSquares += Double(magnitude * magnitude)
            windowCount += 1
            if windowCount == windowLength {
                windows.append(sumOfSquares / Double(windowLength))
                (sumOfSquares, windowCount) = (0, 0)
            }
        }
        sampleCount += samples.count
    }

    var finding: Finding {
        if sampleCount == 0 { return .nothing }
        // One sample in a thousand is audible.
        if clippedCount * 1000 > sampleCount { return .clipping }
        if loudest < -60 { return .silent }
        return loudest < -40 ? .tooQuiet : .good
    }

    /// How loud the louder tenth is, in dBFS: who tests a microphone does not speak all the time.
    var loudest: Double {
        let sorted = windows.sorted()
        guard let value = sorted.isEmpty ? nil : sorted[sorted.count * 9 / 10] else { return -.infinity }
        return 10 * log10(value) - 20 * log10(32_768)
    }

    /// In dBFS.
    var peakLevel: Double { 20 * log10(Double(peak) / 32_768) }

    /// The finding as a sentence, with what to do.
    var sentence: String {
        switch finding {
        case .nothing: "no sound came: it is another program's, or suspended"
        case .silent: "silent: it is muted, or it is not the microphone that you speak into"
        case .tooQuiet: "too quiet: raise its capture volume (alsamixer, F4), or come nearer"
        case .good: "good"
        case .clipping: "clipping: lower its capture volume (alsamixer, F4), or speak from farther away"
        }
    }
}
