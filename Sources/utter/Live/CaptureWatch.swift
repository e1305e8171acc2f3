import Audio

/// Turns a capture's statistics, looked at now and then, into what is worth telling. Pure.
struct CaptureWatch {
    private let rate: Int
    private var last: CaptureStatistics?
    private var hasToldStall = false
    private var hasToldRate = false

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
        /// What the user should know, each a sentence.
        var warnings: [String] = []
    }

    mutating func look(at statistics: CaptureStatistics, _ format: AudioFormat?) -> Findings {
        var findings = Findings(time: seconds(statistics.samplesCaptured + statistics.samplesMissing))
        if statistics.samplesCaptured != last?.samplesCaptured ?? 0 { findings.level = statistics.level }
        findings.dropped = seconds(statistics.samplesDropped - (last?.samplesDropped ?? 0))
        findings.missing = seconds(statistics.samplesMissing - (last?.samplesMissing ?? 0))
        last = statistics
        if findings.dropped > 0 {
            findings.warnings.append("the recognizer is too slow for this machine: \(plain(findings.dropped)) s of sound were lost")
        }
        if findings.missing > 0 {
            findings.warnings.append("the microphone lost \(plain(findings.missing)) s of sound")
        }
        if statistics.isStalled, !hasToldStall { findings.warnings.append("the microphone has delivered nothing for a second") }
        hasToldStall = statistics.isStalled
        if let format, statistics.contradicts(declaredSampleRate: format.sampleRate), !hasToldRate {
            hasToldRate = true
            findings.warnings.append(
                "the microphone says \(format.sampleRate) Hz and delivers \(Int(statistics.measuredSampleRate ?? 0)); "
                    + "words will be misheard: choose another rate with --device-rate, or another device")
        }
        return findings
    }

    private func plain(_ seconds: Double) -> String { Decimals.fixed(seconds, decimals: 1) }

    private func seconds(_ samples: Int64) -> Double { Double(samples) / Double(rate) }
}
