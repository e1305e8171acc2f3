import Audio
import Foundation

/// What `utter memo` is doing.
enum MemoState: Equatable, Sendable {
    /// The microphone is open, the model not ready yet. What is said now is not lost.
    case gettingReady
    case listening
    /// The microphone is off.
    case paused
    /// What was said last is being recognized.
    case finishing
    case kept
    /// It could not be kept.
    case failed

    /// In a word, or a few.
    var text: String {
        switch self {
        case .gettingReady: "getting ready"
        case .listening: "listening"
        case .paused: "paused"
        case .finishing: "finishing"
        case .kept: "kept"
        case .failed: "failed"
        }
    }
}

/// How loud it is, in dB of full scale (dBFS): 0 is the loudest there is, silence far below.
struct MemoLevel: Equatable, Sendable {
    var peak: Double
    var rms: Double

    init(peak: Double, rms: Double) { (self.peak, self.rms) = (peak, rms) }

    /// What a capture says of its last moment.
    init(_ level: CaptureStatistics.Level) { self.init(peak: Self.decibels(level.peak), rms: Self.decibels(level.rms)) }

    private static func decibels(_ value: Float) -> Double { 20 * log10(Double(value)) }

    /// Five bars from quiet (-54 dBFS) to loud (-22 dBFS), as wide as it is loud, and `!` when the sound is clipped.
    func meter(isUTF8: Bool) -> String {
        let bars = isUTF8 ? "▁▂▃▅▇" : "====="
        let count = rms.isNaN ? 0 : Int(max(0, min(5, (rms + 62) / 8)))
        return bars.prefix(count) + (peak >= -0.1 ? "!" : "")
    }
}
