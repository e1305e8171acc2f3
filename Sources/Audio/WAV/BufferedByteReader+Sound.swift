extension BufferedByteReader {
    /// What is shorter after the samples, in bytes, is litter of some program.
    private static let shortestSound: Int64 = 4096
    /// What is looked at to know a chunk, or the header of another recording.
    private static let headLength = 16

    /// Reads what follows the samples of a WAV stream to the end.
    ///
    /// - Returns: whether it is sound or another recording, rather than other chunks and padding.
    mutating func hasSound() throws -> Bool {
        let start = position
        let isSound = try !isChunksAndPadding()
        _ = try skip(.max)
        return isSound && position - start > Self.shortestSound
    }

    private mutating func isChunksAndPadding() throws -> Bool {
        while true {
            try skipPadding()
            guard try fill(atLeast: Self.headLength) >= Self.headLength else { return true }
            let id = chunkID(at: 0)
            if !id.isPrintable || id == .data || withBytes({ WAVReader.looksLikeWAV($0.prefix(12)) }) { return false }
            let size = Int64(integer(UInt32.self, at: 4))
            consume(8)
            // Four samples may look like a name, but the chunk does not end where the stream does.
            if try skip(size) < size { return id.isKnown }
        }
    }

    /// Skips zeros, and one byte of any value before them or before a name, as behind a chunk of odd length.
    private mutating func skipPadding() throws {
        if try fill(atLeast: Self.headLength) >= 5 {
            let next = chunkID(at: 1)
            if !chunkID(at: 0).isPrintable, next.isPrintable || next.rawValue == 0 { consume(1) }
        }
        while try fill(atLeast: 1) > 0 {
            let count = withBytes { $0.firstIndex { $0 != 0 } ?? $0.count }
            let isAll = count == self.count
            consume(count)
            if !isAll { return }
        }
    }

    private func chunkID(at offset: Int) -> WAVChunkID { WAVChunkID(rawValue: integer(UInt32.self, at: offset)) }
}
