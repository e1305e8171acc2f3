import Outbox

/// Writes one object for each recording: file, model, segments, text and duration, in this order, one segment a line. The text
/// comes after the segments, which are written while the recording is transcribed.
///
/// Several recordings give several objects, one after another, which `jq` and other streaming readers accept. If a recording
/// fails, `end` completes what has been written to valid JSON.
struct JSONFormatter: TranscriptFormatter {
    private var isFirst = true
    /// The text of all segments so far, in the text format.
    private var text = ""

    mutating func begin(file: String, model: String) -> String {
        isFirst = true
        text = ""
        return JSONValue.object(["file": file, "model": model]).json.dropLast() + ",\"segments\":["
    }

    mutating func segment(_ segment: TranscribedSegment) -> String {
        let separator = isFirst ? "\n" : ",\n"
        isFirst = false
        text += TextFormatter().segment(segment)
        return separator + segment.json()
    }

    func end(duration: Double, isComplete: Bool) -> String {
        let object = JSONValue.object([
            "text": String(text.dropLast()), "duration": JSONValue.seconds(duration),
            "complete": isComplete ? nil : false,
        ])
        return "\n],\(object.json.dropFirst())\n"
    }
}

/// Writes one JSON object a line: `segment` for each utterance, and `end` for the end of a recording.
struct JSONLinesFormatter: TranscriptFormatter {
    private var file = ""
    private var model = ""

    mutating func begin(file: String, model: String) -> String {
        self.file = file
        self.model = model
        return ""
    }

    func segment(_ segment: TranscribedSegment) -> String {
        segment.json(after: ["type": "segment", "file": file]) + "\n"
    }

    func end(duration: Double, isComplete: Bool) -> String {
        JSONValue.object([
            "type": "end", "file": file, "duration": JSONValue.seconds(duration), "model": model,
            "complete": isComplete ? nil : false,
        ]).json + "\n"
    }
}

extension TranscribedSegment {
    /// The segment as a JSON object, whose first members are those of another.
    func json(after head: JSONObject = [:]) -> String {
        let object: JSONObject = [
            "text": text, "heard": heard, "language": language, "start": JSONValue.seconds(start),
            "end": JSONValue.seconds(end), "confidence": confidence.map(Self.confidence), "channel": channel,
            "speaker": speaker, "overlaps": overlaps ? true : nil, "pass": pass,
            "words": words.map {
                JSONValue.object([
                    "text": $0.text, "start": JSONValue.seconds($0.start), "end": JSONValue.seconds($0.end),
                    "confidence": $0.confidence.map(Self.confidence),
                ])
            },
            "alternatives": alternatives.isEmpty
                ? nil
                : alternatives.map {
                    JSONValue.object(["text": $0.text, "confidence": $0.confidence.map(Self.confidence)])
                },
        ]
        return JSONValue.object(JSONObject(head.members + object.members)).json
    }

    private static func confidence(_ value: Double) -> JSONValue { JSONValue.number(value, decimals: 3) }
}
