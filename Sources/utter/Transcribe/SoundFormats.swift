/// The formats that ffmpeg may read: those that hold sound themselves.
///
/// Lists of other files (ffconcat, HLS, DASH, SDP), pictures, subtitles and devices are left out: a file that only looks like a
/// recording could otherwise make ffmpeg open other files.
enum SoundFormats {
    /// The names of ffmpeg's demuxers.
    static let demuxers = [
        // Containers of sound, and of sound with pictures.
        "aiff", "asf", "asf_o", "au", "avi", "caf", "dv", "flv", "iff", "ircam", "matroska", "mov", "mpeg", "mpegts",
        "mxf", "nistsphere",
        "nut", "ogg", "rm", "sox", "voc", "w64", "wav", "wtv", "xwma",
        // Codecs with a format of their own.
        "aa", "aac", "ac3", "act", "amr", "amrnb", "amrwb", "ape", "dsf", "dss", "dts", "dtshd", "eac3", "flac", "gsm",
        "loas", "mlp",
        "mp3", "mpc", "mpc8", "oma", "paf", "pvf", "qcp", "sds", "shn", "tak", "truehd", "tta", "vqf", "wsd", "wv",
    ]

    /// Codecs without a header, by the file's extension, the only way to recognize them.
    static let headerless = [
        "al": "alaw", "aptx": "aptx", "g722": "g722", "sbc": "sbc", "sln": "sln", "ul": "mulaw",
    ]

    /// The arguments that select the format of a file with this name.
    static func arguments(forName path: String) -> [String] {
        let name = path.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
        let format = ending.flatMap { headerless[$0] }
        let allowed = ["-format_whitelist", (demuxers + headerless.values.sorted()).joined(separator: ",")]
        return format.map { allowed + ["-f", $0] } ?? allowed
    }
}
