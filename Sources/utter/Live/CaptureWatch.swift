import Audio

/// Turns a capture's statistics, looked at now and then, into what is worth telling. Pure.
struct CaptureWatch {
    private let rate: Int
    private var last: CaptureStatistics?
    /// Seconds that were lost and not warned of, being next to nothing.
    private var untold = (dropped: 0.0, missing: 0.0)
    private var hasToldStall = false
    private var hasToldRate = false
    private var wasSilent = false

    /// What the user should know after so many seconds in which every sample was zero.
    static let silence = "hears only silence: is it muted?"
    private static let longestSilence = 3.0

    /// - Parameter rate: of the samples that are counted, in Hz.
    init(rate: Int) { self.rate = rate }

    /// What is new since the last look.
    struct Findings {
        /// When, in seconds from the first sample.
        var time: Double
        /// `nil` when nothing has come.
        var level: CaptureStatistics.Level?
        /// Seconds for which the recognizer was too slow.
        var dropped = 0.0
        /// Seconds that the device lost.
        var missing = 0.0
        /// Whether there has been nothing but zeros for so long that the microphone is muted, or another than is spoken into. It is
        /// counted in samples, so that a machine that stands still hears no silence.
        var isSilent = false
        /// Whether that is so since this look.
        var hasFallenSilent = false
        /// What the user should know, each a sentence.
        var warnings: [String] = []
    }

    mutating func look(at statistics: CaptureStatistics, _ format: AudioFormat?) -> Findings {
        var findings = Findings(time: seconds(statistics.samplesCaptured + statistics.samplesMissing))
        if statistics.samplesCaptured != last?.samplesCaptured ?? 0 { findings.level = statistics.level }
        findings.dropped = seconds(statistics.samplesDropped - (last?.samplesDropped ?? 0))
        findings.missing = seconds(statistics.samplesMissing - (last?.samplesMissing ?? 0))
        last = statistics
        untold.dropped += findings.dropped
        untold.missing += findings.missing
        if untold.dropped >= Self.shortestTold {
            findings.warnings.append("the recognizer is too slow for this machine: \(plain(untold.dropped)) s of sound were lost")
            untold.dropped = 0
        }
        if untold.missing >= Self.shortestTold {
            findings.warnings.append("the microphone lost \(plain(untold.missing)) s of sound")
            untold.missing = 0
        }
        if statistics.isStalled, !hasToldStall { findings.warnings.append("the microphone has delivered nothing for a second") }
        hasToldStall = statistics.isStalled
        findings.isSilent = seconds(statistics.samplesOfSilence) >= Self.longestSilence
        findings.hasFallenSilent = findings.isSilent && !wasSilent
        wasSilent = findings.isSilent
        if let format, statistics.contradicts(declaredSampleRate: format.sampleRate), !hasToldRate {
            hasToldRate = true
            findings.warnings.append(
                "the microphone says \(format.sampleRate) Hz and delivers \(Int(statistics.measuredSampleRate ?? 0)); "
                    + "words will be misheard: choose another rate with --device-rate, or another device")
        }
        return findings
    }

    /// What is not told as 0.0.
    private static let shortestTold = 0.05

    private func plain(_ seconds: Double) -> String { Decimals.fixed(seconds, decimals: 1) }

    private func seconds(_ samples: Int64) -> Double { Double(samples) / Double(rate) }
}
