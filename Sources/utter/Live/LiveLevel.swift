import Audio
import Foundation

/// How loud it is, in dB of full scale (dBFS): 0 is the loudest there is, silence far below.
struct LiveLevel: Equatable, Sendable {
    var peak: Double
    var rms: Double

    /// Whether it is as loud as speech; a quiet room is not. It is two bars of `meter`.
    var isLikeSpeech: Bool { rms >= -46 }

    /// Five bars from quiet (-54 dBFS) to loud (-22 dBFS), as wide as it is loud, and `!` when the sound is clipped.
    func meter(isUTF8: Bool) -> String {
        let bars = isUTF8 ? "▁▂▃▅▇" : "====="
        let count = rms.isNaN ? 0 : Int(max(0, min(5, (rms + 62) / 8)))
        return bars.prefix(count) + (peak >= -0.1 ? "!" : "")
    }
}

extension LiveLevel {
    /// What a capture says of its last moment.
    init(_ level: CaptureStatistics.Level) {
        func decibels(_ value: Float) -> Double { 20 * log10(Double(value)) }
        self.init(peak: decibels(level.peak), rms: decibels(level.rms))
    }
}
