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
        return "{"
            + JSONWriter.members(["file": file, "model": model])
            + ",\"segments\":["
    }

    mutating func segment(_ segment: TranscribedSegment) -> String {
        let separator = isFirst ? "\n" : ",\n"
        isFirst = false
        text += TextFormatter().segment(segment)
        return "\(separator){\(segment.jsonMembers)}"
    }

    func end(duration: Double, isComplete: Bool) -> String {
        "\n],"
            + JSONWriter.members([
                "text": String(text.dropLast()), "duration": JSONWriter.seconds(duration),
                "complete": isComplete ? nil : false,
            ]) + "}\n"
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
        let head = JSONWriter.members(["type": "segment", "file": file])
        return "{\(head),\(segment.jsonMembers)}\n"
    }

    func end(duration: Double, isComplete: Bool) -> String {
        JSONWriter.object([
            "type": "end", "file": file, "duration": JSONWriter.seconds(duration), "model": model,
            "complete": isComplete ? nil : false,
        ]).json + "\n"
    }
}

extension TranscribedSegment {
    /// The segment as members of a JSON object, without the braces.
    var jsonMembers: String {
        JSONWriter.members([
            "text": text, "heard": heard, "language": language, "start": JSONWriter.seconds(start),
            "end": JSONWriter.seconds(end), "confidence": confidence.map(Self.confidence), "channel": channel,
            "speaker": speaker, "overlaps": overlaps ? true : nil, "pass": pass,
            "words": words.map {
                JSONWriter.object([
                    "text": $0.text, "start": JSONWriter.seconds($0.start), "end": JSONWriter.seconds($0.end),
                    "confidence": $0.confidence.map(Self.confidence),
                ])
            },
            "alternatives": alternatives.isEmpty
                ? nil
                : alternatives.map {
                    JSONWriter.object(["text": $0.text, "confidence": $0.confidence.map(Self.confidence)])
                },
        ])
    }

    private static func confidence(_ value: Double) -> JSONText { JSONWriter.number(value, decimals: 3) }
}
