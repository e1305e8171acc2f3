/// The formats that ffmpeg may read: those that hold sound themselves.
///
/// Lists of other files (ffconcat, HLS, DASH, SDP), pictures, subtitles and devices are left out: a file that only looks like a
/// recording could otherwise make ffmpeg open other files.
enum SoundFormats {
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

    /// The extensions of recordings, by which they are found in a folder: of sound, and of pictures with sound.
    private static let extensions: Set<String> = [
        "3g2", "3gp", "aac", "ac3", "aif", "aifc", "aiff", "amr", "ape", "asf", "au", "avi", "caf", "dss", "dts",
        "eac3", "f4v", "flac",
        "flv", "gsm", "m2ts", "m4a", "m4b", "m4v", "mka", "mkv", "mov", "mp2", "mp3", "mp4", "mpc", "mpeg", "mpg",
        "mts", "mxf", "nist",
        "oga", "ogg", "ogv", "opus", "qta", "ra", "rf64", "rm", "snd", "sph", "spx", "tta", "voc", "w64", "wav", "wave",
        "weba", "webm",
        "wma", "wmv", "wv",
    ]

    static func isRecording(_ name: String) -> Bool {
        guard let ending = ending(of: name) else { return false }
        return extensions.contains(ending) || headerless[ending] != nil
    }

    /// The extension of a path, in lower case and without its dot; nil where there is none.
    static func ending(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    }

    /// The arguments that select the format of a file with this name.
    static func arguments(forName path: String) -> [String] {
        let format = ending(of: path).flatMap { headerless[$0] }
        let allowed = ["-format_whitelist", (demuxers + headerless.values.sorted()).joined(separator: ",")]
        return format.map { allowed + ["-f", $0] } ?? allowed
    }
}
