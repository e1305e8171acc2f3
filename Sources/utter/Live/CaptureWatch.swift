import Audio

/// Finds what is worth reporting in a capture's statistics, which are read several times a second. Pure.
struct CaptureWatch {
    private let rate: Int
    /// What is heard, in words: the microphone, or a source that may be something else.
    private let subject: String
    private var last: CaptureStatistics?
    /// The lost sound, in seconds, for which there was no warning yet because it was too short.
    private var untold = (dropped: 0.0, missing: 0.0)
    private var hasToldRate = false
    private var lastTrouble: String?

    /// What is wrong while nothing comes from a device that is open.
    static let standstill = standstill(of: microphone)
    private static func standstill(of subject: String) -> String { "\(subject) delivers nothing" }
    private static let microphone = "the microphone"
    /// What is wrong after `longestSilence` seconds or more in which every sample was zero.
    static let silence = "hears only silence: is it muted?"
    private static let longestSilence = 3.0
    /// The length of zeros, in seconds, of a microphone that has given them for `tellingSilence` seconds between sounds, as a headset does or
    /// a filter of noise.
    private static let (longestOfGated, tellingSilence) = (10.0, 1.0)
    private var isGated = false

    /// - Parameters:
    ///   - rate: the sample rate of the samples that are counted, in Hz.
    ///   - isSource: whether what is heard may be no microphone, but what this machine plays.
    init(rate: Int, isSource: Bool = false) {
        (self.rate, subject) = (rate, isSource ? "the source" : Self.microphone)
    }

    /// What is new since the last call.
    struct CaptureReport {
        /// The time of the call, in seconds from the first sample.
        var time: Double
        /// The level; nil when no samples have come.
        var level: CaptureStatistics.Level?
        /// The sound that was dropped because the recognizer was too slow, in seconds.
        var dropped = 0.0
        /// The sound that the device lost, in seconds.
        var missing = 0.0
        /// What is wrong with the microphone as long as it lasts, a sentence: nothing comes from it, or only zeros for so long that it
        /// must be muted, or is the wrong one. Zeros are counted, not time, so that a machine that is suspended does not count as silent.
        var trouble: String?
        /// Whether `trouble` was another with the last call, or none.
        var isNewTrouble = false
        /// What was lost of the sound, each loss a sentence: not all that was said is heard.
        var losses: [String] = []
        /// Warnings for the user, each a sentence.
        var warnings: [String] = []
    }

    /// Compares the statistics with those of the last call.
    mutating func look(at statistics: CaptureStatistics, _ format: AudioFormat?) -> CaptureReport {
        var report = CaptureReport(time: seconds(statistics.samplesCaptured + statistics.samplesMissing))
        if statistics.samplesCaptured != last?.samplesCaptured ?? 0 { report.level = statistics.level }
        report.dropped = seconds(statistics.samplesDropped - (last?.samplesDropped ?? 0))
        report.missing = seconds(statistics.samplesMissing - (last?.samplesMissing ?? 0))
        if let last, seconds(last.samplesOfSilence) >= Self.tellingSilence,
            statistics.samplesOfSilence < statistics.samplesCaptured - last.samplesCaptured
        {
            isGated = true
        }
        last = statistics
        untold.dropped += report.dropped
        untold.missing += report.missing
        report.losses = Self.losses(dropped: untold.dropped, missing: untold.missing, of: subject)
        if untold.dropped >= Self.shortestTold { untold.dropped = 0 }
        if untold.missing >= Self.shortestTold { untold.missing = 0 }
        let isSilent = seconds(statistics.samplesOfSilence) >= (isGated ? Self.longestOfGated : Self.longestSilence)
        report.trouble = statistics.isStalled ? Self.standstill(of: subject) : isSilent ? Self.silence : nil
        report.isNewTrouble = report.trouble != lastTrouble
        lastTrouble = report.trouble
        if let format, statistics.contradicts(declaredSampleRate: format.sampleRate), !hasToldRate {
            hasToldRate = true
            report.warnings.append(
                "\(subject) says \(format.sampleRate) Hz and delivers \(Int(statistics.measuredSampleRate ?? 0)); "
                    + "words will be misheard: choose another rate with --device-rate, or another device")
        }
        return report
    }

    /// What a capture has lost of the sound from its beginning, each loss a sentence; none where it holds no word.
    static func losses(in statistics: CaptureStatistics, rate: Int) -> [String] {
        losses(
            dropped: Double(statistics.samplesDropped) / Double(rate),
            missing: Double(statistics.samplesMissing) / Double(rate), of: microphone)
    }

    private static func losses(dropped: Double, missing: Double, of subject: String) -> [String] {
        func plain(_ seconds: Double) -> String { Decimals.fixed(seconds, decimals: 1) }
        let slow = "the recognizer is too slow for this machine: \(plain(dropped)) s of sound were lost"
        return (dropped >= shortestTold ? [slow] : [])
            + (missing >= shortestTold ? ["\(subject) lost \(plain(missing)) s of sound"] : [])
    }

    /// The shortest loss, in seconds, that is not rounded to 0.0, and may hold a word.
    static let shortestTold = 0.05

    private func seconds(_ samples: Int64) -> Double { Double(samples) / Double(rate) }
}
