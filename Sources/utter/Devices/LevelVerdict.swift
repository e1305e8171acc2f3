import Foundation

/// The verdict on a microphone, from the level of its samples. Pure.
struct LevelVerdict: Equatable {
    enum Finding: String {
        case silent
        case tooQuiet = "too quiet"
        case good
        case clipping
        /// The device delivered no samples.
        case nothing = "no sound"
    }

    /// The mean square of the samples in each window of a twentieth of a second.
    private var windows: [Double] = []
    private var peak = 0
    private var clippedCount = 0
    private var sampleCount = 0
    private var sumOfSquares = 0.0
    private var windowCount = 0
    private let windowLength: Int

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
        // Clipping is audible from one sample in a thousand on.
        if clippedCount * 1000 > sampleCount { return .clipping }
        if loudest < -60 { return .silent }
        return loudest < -40 ? .tooQuiet : .good
    }

    /// The level, in dBFS, that the loudest tenth of the windows reaches: a user who tests a microphone does not speak all the time.
    var loudest: Double {
        let sorted = windows.sorted()
        guard let value = sorted.isEmpty ? nil : sorted[sorted.count * 9 / 10] else { return -.infinity }
        return 10 * log10(value) - 20 * log10(32_768)
    }

    /// The level of the loudest sample, in dBFS.
    var peakLevel: Double { 20 * log10(Double(peak) / 32_768) }

    /// The finding as a sentence that says what to do.
    ///
    /// - Parameter mixer: the program that changes the capture volume, and where in it.
    func sentence(mixer: String) -> String {
        switch finding {
        case .nothing: "no sound came: another program uses the device, or it is suspended"
        case .silent: "silent: it is muted, or it is not the microphone that you speak into"
        case .tooQuiet: "too quiet: raise its capture volume (\(mixer)), or come nearer"
        case .good: "good"
        case .clipping: "clipping: lower its capture volume (\(mixer)), or speak from farther away"
        }
    }
}
