/// The extent of the samples in a WAV stream, as far as its header can be trusted.
struct WAVDataExtent: Equatable {
    /// The number of bytes of samples; `nil` if they continue to the end of the stream.
    var byteCount: Int64?
    /// Whether `byteCount` is the real size, rather than a value that means "not known yet".
    var isDeclared: Bool
}

extension WAVDataExtent {
    /// The extent of samples that continue to the end of the stream.
    static let toTheEnd = WAVDataExtent(byteCount: nil, isDeclared: false)

    /// Returns the extent of samples whose size the header declares.
    static func declared(_ byteCount: Int64) -> WAVDataExtent {
        WAVDataExtent(byteCount: byteCount, isDeclared: true)
    }

    /// Creates the extent from the 32-bit size of the data chunk.
    ///
    /// - Parameters:
    ///   - size: the size in the header of the data chunk, in bytes.
    ///   - fileSize: the size of the file according to its first chunk.
    ///   - chunkFollows: whether the bytes after the header are unmistakably another chunk, not a sample.
    init(size: UInt32, fileSize: UInt32, chunkFollows: Bool) {
        switch size {
        case 0:
            // The header was written before the samples by a program that could not go back, unless the file really is
            // empty.
            self = chunkFollows ? .declared(0) : .toTheEnd
        case .max, 0xFFFF_FF9B:
            // ffmpeg writes this size into a pipe, and programs in JavaScript that less 100.
            self = .toTheEnd
        case 0xFFFF_FF00... where fileSize == .max:
            // Others take the length of the header off the greatest size.
            self = .toTheEnd
        case 0x7FFF_F000 where fileSize >= size:
            // sox writes this size into a pipe.
            self = .toTheEnd
        case 0x7FFF_FF00...0x8000_0000:
            // arecord and similar programs write this size into a pipe, and stop after that many bytes.
            self = WAVDataExtent(byteCount: Int64(size), isDeclared: false)
        default:
            self = .declared(Int64(size))
        }
    }

    /// Creates the extent from the 64-bit size in a ds64 chunk.
    init(size64: UInt64, chunkFollows: Bool) {
        if size64 == 0 {
            self = chunkFollows ? .declared(0) : .toTheEnd
        } else {
            // No file has 2⁶³ bytes; 2⁶⁴ - 1 is the size of a stream.
            self = Int64(exactly: size64).map(WAVDataExtent.declared) ?? .toTheEnd
        }
    }
}
