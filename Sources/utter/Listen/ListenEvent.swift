import Audio
import Foundation
import Outbox

/// An event of `utter listen`. All times are in seconds from the first sample that was captured, and with several sources from the start.
/// Of several, each has a name, the speaker.
enum ListenEvent {
    case status(LiveState, device: String?, format: AudioFormat?)
    /// A guess, which replaces the one before; empty when there is none any more.
    case volatile(text: String, start: Double, end: Double, speaker: String? = nil)
    case final(TranscribedSegment)
    case level(CaptureStatistics.Level, time: Double, speaker: String? = nil)
    /// Sound that was lost since the last such event, in seconds: dropped because the recognizer was too slow, or missing from the
    /// device.
    case loss(dropped: Double, missing: Double, time: Double, speaker: String? = nil)
    case end(CaptureStatistics, sampleRate: Int, source: Source? = nil)

    /// One of several sources.
    struct Source {
        var speaker: String
        /// How long it was heard, in seconds.
        var duration: Double
        /// How much faster its clock is than ours, in parts in a million; nil where that is not known.
        var partsPerMillion: Double?
    }

    static let types = ["status", "volatile", "final", "level", "loss", "end"]

    /// The event's type, as in its JSON.
    var type: String {
        switch self {
        case .status: "status"
        case .volatile: "volatile"
        case .final: "final"
        case .level: "level"
        case .loss: "loss"
        case .end: "end"
        }
    }

    var json: String {
        let object: JSONObject
        switch self {
        case .status(let state, let device, let format):
            object = [
                "type": type, "state": state.rawValue, "device": device, "rate": format?.sampleRate,
                "channels": format?.channelCount,
            ]
        case .volatile(let text, let start, let end, let speaker):
            object = [
                "type": type, "speaker": speaker, "text": text, "start": JSONValue.seconds(start),
                "end": JSONValue.seconds(end),
            ]
        case .final(let segment):
            return segment.json(after: ["type": type]) + "\n"
        case .level(let level, let time, let speaker):
            object = [
                "type": type, "speaker": speaker, "time": JSONValue.seconds(time),
                // In dBFS; `null` for digital silence.
                "peak": JSONValue.number(LiveLevel(level).peak, decimals: 1),
                "rms": JSONValue.number(LiveLevel(level).rms, decimals: 1),
            ]
        case .loss(let dropped, let missing, let time, let speaker):
            object = [
                "type": type, "speaker": speaker, "time": JSONValue.seconds(time),
                "dropped": JSONValue.seconds(dropped), "missing": JSONValue.seconds(missing),
            ]
        case .end(let statistics, let rate, let source):
            let duration =
                source?.duration ?? Double(statistics.samplesCaptured + statistics.samplesMissing) / Double(rate)
            object = [
                "type": type, "speaker": source?.speaker, "duration": JSONValue.seconds(duration),
                "captured": statistics.samplesCaptured, "delivered": statistics.samplesDelivered,
                "dropped": statistics.samplesDropped, "missing": statistics.samplesMissing,
                "overruns": statistics.overruns, "rate": rate,
                // With it, the events' times can be compared with those of other programs.
                "clock": statistics.startTime.map { JSONValue.number($0, decimals: 3) },
                "ppm": (source?.partsPerMillion).map { JSONValue.number($0, decimals: 1) },
            ]
        }
        return JSONValue.object(object).json + "\n"
    }
}
