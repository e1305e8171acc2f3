/// What ffmpeg says on its standard error, with the level of each message in it. ffmpeg skips what it can't decode and exits with 0,
/// so only its messages tell that sound is missing. Pure.
struct FFmpegMessages {
    /// ffmpeg's name for its input.
    static let input = "file:/dev/fd/0"

    private(set) var lastError: String?
    /// The first message that means that sound is missing; nil when there is none.
    private(set) var loss: String?
    /// The time of the first sound, in seconds; nil before that is known.
    private(set) var start: Double?
    /// Whether there is no sound that ffmpeg can find.
    private(set) var findsNoSound = false
    /// The number of sound tracks in the input.
    private(set) var trackCount = 0
    /// Whether all tracks of the input were told.
    private var tracksAreKnown = false
    /// The number of the input's first sound track among all its tracks, as ffmpeg writes it; empty before that is known.
    private var track: Substring = ""
    /// Whether each moment of the input has its sound: FLAC leaves out none, and a gap between the times is a loss.
    private var hasNoGaps = false
    /// Whether the input is Ogg, in which ffmpeg counts the times of a second stream at the rate of the first.
    private var isOgg = false
    /// Whether the header says that the length is unknown. The end of such a file is no loss.
    private var isStream = false
    /// The beginning of a line that has not ended.
    private var rest: [UInt8] = []

    private static let longestLine = 1 << 10

    /// Adds the next bytes of ffmpeg's standard error.
    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                end()
            } else if rest.count < Self.longestLine {
                rest.append(byte)
            }
        }
    }

    mutating func end() {
        add(String(decoding: rest, as: UTF8.self))
        rest = []
    }

    /// Adds a line such as `[mp3 @ 0x55c9] [error] Header missing`; the part of ffmpeg that speaks may be left out.
    private mutating func add(_ line: String) {
        var text = Substring(line)
        var marks: [Substring] = []
        while text.hasPrefix("["), let end = text.range(of: "] ") {
            marks.append(text[..<end.lowerBound].dropFirst())
            text = text[end.upperBound...]
        }
        // The next line of a long title.
        if marks.isEmpty, line.hasPrefix(" ") { return }
        if marks.last == "info" { return noteTrack(text) }
        // ffmpeg adds advice about its own options, which the user has not typed.
        if text.isEmpty || text.hasPrefix("To ignore this") { return }
        let isWarning = marks.last == "warning"
        if isWarning, let time = Double(text), time < 0 { return noteStart(-1 - time) }
        if !isWarning { lastError = Self.reason(text) }
        findsNoSound = findsNoSound || text.contains("matches no streams") || text.contains("Format not on whitelist")
        isStream = isStream || text.hasPrefix("Ignoring maximum wav data size")
        let speaker = marks.count > 1 ? marks[0].prefix { $0 != " " } : ""
        if loss == nil, meansLoss(text, of: speaker, isWarning: isWarning) { loss = Self.reason(text) }
    }

    /// Counts a sound track of the input: `  Stream #0:1(eng): Audio: aac`.
    private mutating func noteTrack(_ text: Substring) {
        tracksAreKnown = tracksAreKnown || text.hasPrefix("Stream mapping:") || text.hasPrefix("Output #")
        isOgg = isOgg || text.hasPrefix("Input #0, ogg, ")
        hasNoGaps = hasNoGaps || text.hasPrefix("Input #0, flac, ")
        let start = "  Stream #0:"
        guard !tracksAreKnown, text.hasPrefix(start), text.contains(": Audio: ") else { return }
        if trackCount == 0 { track = text.dropFirst(start.count).prefix(while: \.isNumber) }
        trackCount += 1
    }

    /// Notes the time of the first sound that `FFmpegSource.timeline` tells, and again behind each change of the rate or the channels.
    private mutating func noteStart(_ time: Double) {
        if start != nil, isOgg, loss == nil {
            loss =
                "the sample rate or the channels change within it, and from there on the text and its times may be wrong"
        }
        start = start ?? time
    }

    private func meansLoss(_ text: Substring, of speaker: Substring, isWarning: Bool) -> Bool {
        if isWarning {
            // The last packet is short, the header of an MP3 file promises more, a part of a FLAC file is not what it was, or not there.
            return text.contains("corrupt input packet") && !isStream || text.contains("growing file?")
                || text.hasPrefix("crc check failed") || text.contains("corrupt decoded frame")
                || isPacketOfSound(text, of: speaker) || isGap(text) || Self.isAnotherRecording(text)
        }
        // About the file itself, a part of the sound, or the container. An error of another codec may concern the pictures only.
        return text.hasPrefix(Self.input + ": ") || Self.losses.contains { text.hasPrefix($0) }
            || formats(speaker).contains { SoundFormats.demuxers.contains(String($0)) }
    }

    /// Whether a packet is damaged that has sound, or behind which sound would follow: broadcasts go on after damaged pictures.
    /// `Packet corrupt (stream = 0, dts = 194).`
    private func isPacketOfSound(_ text: Substring, of speaker: Substring) -> Bool {
        let isOfTrack = text.hasPrefix("Packet corrupt (stream = \(track),")
        let isCutOff = text.hasPrefix("Packet corrupt (") && !formats(speaker).contains("mpegts")
        return !isStream && (isOfTrack || isCutOff)
    }

    /// Whether `FFmpegSource.timeline` tells of a gap between the times where there can't be one.
    private func isGap(_ text: Substring) -> Bool { hasNoGaps && Double(text) != nil }

    /// Whether another MP4 or CAF file follows in the same file, which ffmpeg leaves out.
    private static func isAnotherRecording(_ text: Substring) -> Bool {
        text.hasPrefix("Found duplicated MOOV Atom") || text.hasPrefix("skipping CAF chunk: 63616666 (caff)")
    }

    /// What ffmpeg itself says of an input or of the sound in it: up to 6.0, and from 6.1 on.
    private static let losses = [
        "Error while decoding stream", "Error submitting ", "Error during demuxing", "Decoding error",
        "Error processing packet in decoder",
    ]

    /// The formats in a speaker's name: `mov,mp4`, or from ffmpeg 6.1 on also `in#0/mov,mp4` and `aist#0:0/mp3`.
    private func formats(_ speaker: Substring) -> [Substring] {
        speaker[(speaker.lastIndex(of: "/").map(speaker.index(after:)) ?? speaker.startIndex)...].split(separator: ",")
    }

    private static func reason(_ text: Substring) -> String {
        if Double(text) != nil { return "a part in its middle is not there" }
        if isAnotherRecording(text) { return "another recording follows behind it, and was not heard" }
        return String(text.hasPrefix(input + ": ") ? text.dropFirst(input.count + 2) : text)
    }
}
