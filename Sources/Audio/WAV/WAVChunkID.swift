/// The four bytes that name a chunk.
struct WAVChunkID: Hashable {
    /// The bytes in the order of the file, the first one lowest.
    let rawValue: UInt32

    init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ name: StaticString) {
        precondition(name.utf8CodeUnitCount == 4)
        rawValue = name.withUTF8Buffer { bytes in
            bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    static let riff = WAVChunkID("RIFF")
    static let rf64 = WAVChunkID("RF64")
    static let bw64 = WAVChunkID("BW64")
    static let wave = WAVChunkID("WAVE")
    static let ds64 = WAVChunkID("ds64")
    static let format = WAVChunkID("fmt ")
    static let data = WAVChunkID("data")
    static let junk = WAVChunkID("JUNK")
    static let iXML = WAVChunkID("iXML")

    /// The chunks that programs are known to write. Only used to guess the meaning of a broken file.
    private static let known: Set<WAVChunkID> = [
        ds64, format, data, junk, WAVChunkID("junk"), WAVChunkID("PAD "), WAVChunkID("FLLR"), WAVChunkID("fact"),
        WAVChunkID("LIST"), WAVChunkID("list"), WAVChunkID("bext"), WAVChunkID("cue "), WAVChunkID("smpl"),
        WAVChunkID("inst"), WAVChunkID("id3 "), WAVChunkID("ID3 "), WAVChunkID("PEAK"), iXML,
        WAVChunkID("axml"), WAVChunkID("chna"), WAVChunkID("cart"), WAVChunkID("levl"), WAVChunkID("umid"),
        WAVChunkID("_PMX"), WAVChunkID("acid"), WAVChunkID("strc"), WAVChunkID("DISP"), WAVChunkID("afsp"),
        WAVChunkID("minf"), WAVChunkID("elm1"), WAVChunkID("regn"), WAVChunkID("slnt"), WAVChunkID("plst"),
        WAVChunkID("APET"),
    ]

    /// Whether programs are known to write a chunk with this name.
    var isKnown: Bool { Self.known.contains(self) }

    /// Whether all four bytes are printable ASCII.
    var isPrintable: Bool { bytes.allSatisfy { (0x20...0x7E).contains($0) } }

    /// The name in a printable form, with `?` for every byte that is not printable.
    var displayName: String {
        String(
            decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private var bytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> ($0 * 8)) }
    }
}
