/// The header that `WAVWriter` writes before the samples. Its length depends on the channels' names alone, so it can be written anew.
struct WAVHeaderBytes {
    /// The length of a header without names, in bytes: file header, room for a ds64 chunk, fmt chunk, header of the data chunk.
    private static let plainCount = 12 + (8 + 28) + (8 + 16) + 8

    /// The greatest size that the first chunk's 32 bits can express; one more marks a stream.
    static let maximumRIFFSize: Int64 = 0xFFFF_FFFE

    let format: AudioFormat
    /// The content of the iXML chunk; empty where the channels have no names, and then there is no such chunk.
    private let names: [UInt8]

    init(format: AudioFormat, channelNames: [String] = []) {
        self.format = format
        names = channelNames.isEmpty ? [] : WAVChannelNames.xml(channelNames)
    }

    /// The length of the header, in bytes.
    var count: Int { Self.plainCount + (names.isEmpty ? 0 : 8 + names.count) }

    /// What stands in the room for a ds64 chunk while the file is being written: the sizes are those of a moment, so `WAVReader` reads to
    /// the end of the file. Other programs don't know it.
    static let growthMark = Array("utter writes this file still".utf8)

    /// Returns the header of a file that is being written, whose both sizes mean "until the end".
    func streaming() -> [UInt8] {
        header(.riff, size: .max, dataSize: .max, reserve: .junk, content: Self.content([0, 0, 0]))
    }

    /// Returns the header of a file that is being written, with the sizes so far; beyond `maximumRIFFSize` that of a stream.
    func growing(dataByteCount: Int64, maximumRIFFSize: Int64 = maximumRIFFSize) -> [UInt8] {
        let fileSize = Int64(count - 8) + dataByteCount
        guard fileSize <= maximumRIFFSize else { return streaming() }
        return header(
            .riff, size: UInt32(fileSize), dataSize: UInt32(dataByteCount), reserve: .junk, content: Self.growthMark)
    }

    /// Whether these bytes are the header of a file that is being written, with whatever sizes.
    func isGrowing(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == count else { return false }
        let dataByteCount = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int64($1) }
        return bytes == streaming() || bytes == growing(dataByteCount: dataByteCount)
    }

    /// Returns the header of a complete file: RIFF, or RF64 beyond `maximumRIFFSize`.
    func complete(dataByteCount: Int64, maximumRIFFSize: Int64 = maximumRIFFSize) -> [UInt8] {
        let fileSize = Int64(count - 8) + dataByteCount
        guard fileSize > maximumRIFFSize else {
            return header(
                .riff, size: UInt32(fileSize), dataSize: UInt32(dataByteCount), reserve: .junk,
                content: Self.content([0, 0, 0]))
        }
        let frameCount = dataByteCount / Int64(format.bytesPerFrame)
        return header(
            .rf64, size: .max, dataSize: .max, reserve: .ds64,
            content: Self.content([fileSize, dataByteCount, frameCount]))
    }

    /// The content of a ds64 chunk without a table of other chunks' sizes.
    private static func content(_ sizes: [Int64]) -> [UInt8] {
        sizes.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } } + [0, 0, 0, 0]
    }

    private func header(
        _ container: WAVChunkID, size: UInt32, dataSize: UInt32, reserve: WAVChunkID, content: [UInt8]
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        func put(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        put(container.rawValue)
        put(size)
        put(WAVChunkID.wave.rawValue)

        put(reserve.rawValue)
        put(UInt32(content.count))
        bytes += content

        put(WAVChunkID.format.rawValue)
        put(UInt32(16))
        put(WAVFormatTag.pcm)
        put(UInt16(format.channelCount))
        put(UInt32(format.sampleRate))
        put(UInt32(format.sampleRate * format.bytesPerFrame))
        put(UInt16(format.bytesPerFrame))
        put(UInt16(format.encoding.byteCount * 8))

        // Before the samples, so that a file that is cut off has its names.
        if !names.isEmpty {
            put(WAVChunkID.iXML.rawValue)
            put(UInt32(names.count))
            bytes += names
        }

        put(WAVChunkID.data.rawValue)
        put(dataSize)
        return bytes
    }
}
