/// The formats that ffmpeg may take a file for: those that hold sound, and hold it themselves.
///
/// A list of other files (ffconcat, HLS, DASH, SDP), pictures, subtitles and devices are not among them: a recording that is one of these
/// in disguise would make ffmpeg open what it names.
enum SoundFormats {
    /// ffmpeg's own names.
    static let demuxers = [
        // Containers of sound, and of sound beside pictures.
        "aiff", "asf", "asf_o", "au", "avi", "caf", "dv", "flv", "iff", "ircam", "matroska", "mov", "mpeg", "mpegts", "mxf", "nistsphere",
        "nut", "ogg", "rm", "sox", "voc", "w64", "wav", "wtv", "xwma",
        // Codecs with a format of their own.
        "aa", "aac", "ac3", "act", "amr", "amrnb", "amrwb", "ape", "dsf", "dss", "dts", "dtshd", "eac3", "flac", "gsm", "loas", "mlp",
        "mp3", "mpc", "mpc8", "oma", "paf", "pvf", "qcp", "sds", "shn", "tak", "truehd", "tta", "vqf", "wsd", "wv",
    ]

    /// Codecs without any header, by the ending of a file's name, which is all that tells.
    static let headerless = [
        "al": "alaw", "aptx": "aptx", "g722": "g722", "sbc": "sbc", "sln": "sln", "ul": "mulaw",
    ]

    /// What ffmpeg needs to be told about a file of this name.
    static func arguments(forName path: String) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        let format = ending.flatMap { headerless[$0] }
        let allowed = ["-format_whitelist", (demuxers + headerless.values.sorted()).joined(separator: ",")]
        return format.map { allowed + ["-f", $0] } ?? allowed
    }
}
