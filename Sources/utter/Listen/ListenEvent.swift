import Audio
import Foundation

/// An event of `utter listen`. All times are in seconds from the first sample that was captured.
enum ListenEvent {
    case status(LiveState, device: String, format: AudioFormat?)
    /// A guess, which replaces the one before; empty when there is none any more.
    case volatile(text: String, start: Double, end: Double)
    case final(TranscribedSegment)
    case level(CaptureStatistics.Level, time: Double)
    /// Sound that was lost since the last such event, in seconds: dropped because the recognizer was too slow, or missing from the
    /// device.
    case loss(dropped: Double, missing: Double, time: Double)
    case end(CaptureStatistics, sampleRate: Int)

    /// The types of all events.
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

    /// The event as a line of JSON.
    var json: String {
        let members: KeyValuePairs<String, String?>
        switch self {
        case .status(let state, let device, let format):
            members = [
                "type": "\"status\"", "state": JSONWriter.string(state.rawValue), "device": JSONWriter.string(device),
                "rate": format.map { String($0.sampleRate) }, "channels": format.map { String($0.channelCount) },
            ]
        case .volatile(let text, let start, let end):
            members = [
                "type": "\"volatile\"", "text": JSONWriter.string(text), "start": JSONWriter.seconds(start),
                "end": JSONWriter.seconds(end),
            ]
        case .final(let segment):
            return "{\"type\":\"final\",\(segment.jsonMembers)}\n"
        case .level(let level, let time):
            members = [
                "type": "\"level\"", "time": JSONWriter.seconds(time), "peak": Self.decibels(level.peak),
                "rms": Self.decibels(level.rms),
            ]
        case .loss(let dropped, let missing, let time):
            members = [
                "type": "\"loss\"", "time": JSONWriter.seconds(time), "dropped": JSONWriter.seconds(dropped),
                "missing": JSONWriter.seconds(missing),
            ]
        case .end(let statistics, let rate):
            func seconds(_ samples: Int64) -> String { JSONWriter.seconds(Double(samples) / Double(rate)) }
            members = [
                "type": "\"end\"", "duration": seconds(statistics.samplesCaptured + statistics.samplesMissing),
                "captured": String(statistics.samplesCaptured), "delivered": String(statistics.samplesDelivered),
                "dropped": String(statistics.samplesDropped), "missing": String(statistics.samplesMissing),
                "overruns": String(statistics.overruns), "rate": String(rate),
                // With it, the events' times can be compared with those of other programs.
                "clock": statistics.startTime.map { JSONWriter.number($0, decimals: 3) },
            ]
        }
        return JSONWriter.object(members) + "\n"
    }

    /// A level in dBFS, where 0 is full scale; `null` for digital silence.
    private static func decibels(_ value: Float) -> String {
        JSONWriter.number(20 * log10(Double(value)), decimals: 1)
    }
}
