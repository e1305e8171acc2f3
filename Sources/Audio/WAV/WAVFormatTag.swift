import System

/// The numbers in a fmt chunk that stand for encodings.
enum WAVFormatTag {
    static let pcm: UInt16 = 0x0001
    static let float: UInt16 = 0x0003
    static let aLaw: UInt16 = 0x0006
    static let muLaw: UInt16 = 0x0007
    /// The real tag is at the beginning of a GUID later in the chunk.
    static let extensible: UInt16 = 0xFFFE

    /// Returns the common name of an encoding: `MP3 (format tag 0x0055)`.
    static func displayName(_ tag: UInt16) -> String {
        let number = "format tag 0x" + tag.digits(4, radix: 16, uppercase: true)
        return names[tag].map { "\($0) (\(number))" } ?? "an unknown encoding (\(number))"
    }

    private static let names: [UInt16: String] = [
        pcm: "PCM", float: "floating point", aLaw: "A-law", muLaw: "µ-law", extensible: "WAVE_FORMAT_EXTENSIBLE",
        0x0002: "MS ADPCM", 0x0005: "IBM CVSD", 0x0008: "DTS", 0x000A: "Windows Media Voice",
        0x0010: "OKI ADPCM", 0x0011: "IMA ADPCM", 0x0014: "G.723 ADPCM", 0x0015: "DIGISTD", 0x0016: "DIGIFIX",
        0x0017: "Dialogic ADPCM", 0x0020: "Yamaha ADPCM", 0x0022: "TrueSpeech", 0x0030: "Dolby AC-2",
        0x0031: "GSM 6.10", 0x0034: "VoxWare", 0x0038: "Sierra ADPCM", 0x003B: "Rockwell ADPCM",
        0x0040: "G.721 ADPCM", 0x0041: "G.728 CELP", 0x0042: "G.723.1", 0x0045: "G.726 ADPCM",
        0x0050: "MPEG layer 1 or 2", 0x0055: "MP3", 0x0061: "Duck DK4 ADPCM", 0x0062: "Duck DK3 ADPCM",
        0x0064: "G.726 ADPCM", 0x0065: "G.722 ADPCM", 0x0069: "Xbox IMA ADPCM", 0x0083: "G.729",
        0x0092: "Dolby AC-3 over S/PDIF", 0x00FF: "AAC", 0x0111: "VivoActive G.723", 0x0130: "Sipro ACELP",
        0x0160: "Windows Media Audio 1", 0x0161: "Windows Media Audio 2", 0x0162: "Windows Media Audio Professional",
        0x0163: "Windows Media Audio Lossless", 0x0200: "Creative ADPCM", 0x0270: "ATRAC3", 0x028F: "G.722 ADPCM",
        0x0401: "Intel Music Coder", 0x0402: "Indeo Audio", 0x0501: "QDesign Music", 0x1600: "AAC (ADTS)",
        0x1602: "AAC (LATM)", 0x1610: "HE-AAC", 0x2000: "Dolby AC-3", 0x2001: "DTS", 0x566F: "Vorbis",
        0x674F: "Vorbis", 0x6750: "Vorbis", 0x6751: "Vorbis", 0x676F: "Vorbis", 0x6770: "Vorbis", 0x6771: "Vorbis",
        0x704F: "Opus", 0x77A1: "True Audio", 0x7A21: "AMR", 0x7A22: "AMR", 0xA106: "AAC", 0xA109: "Speex",
        0xA10D: "AMR-WB", 0xF1AC: "FLAC",
    ]
}
