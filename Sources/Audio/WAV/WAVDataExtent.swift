/// How far the samples go, as far as the header can be believed.
struct WAVDataExtent: Equatable {
    /// The end of the samples in bytes from their beginning; nil where they go to the end of the stream.
    var byteCount: Int64?
    /// Whether `byteCount` is what the file holds, rather than a figure that stands for "not known yet".
    var isDeclared: Bool

    static let toTheEnd = WAVDataExtent(byteCount: nil, isDeclared: false)

    static func declared(_ byteCount: Int64) -> WAVDataExtent {
        WAVDataExtent(byteCount: byteCount, isDeclared: true)
    }

    /// The extent that the data chunk's 32-bit size means.
    ///
    /// - Parameters:
    ///   - fileSize: the size that the file says of itself, in its first chunk.
    ///   - chunkFollows: whether what stands where the first sample would be is unmistakably another chunk.
    init(size: UInt32, fileSize: UInt32, chunkFollows: Bool) {
        switch size {
        case 0:
            // Written before the samples, by a program that could not go back: unless the file really is empty.
            self = chunkFollows ? .declared(0) : .toTheEnd
        case .max:
            self = .toTheEnd
        case 0x7FFF_F000 where fileSize >= size:
            // What sox writes into a pipe.
            self = .toTheEnd
        case 0x7FFF_FF00...0x8000_0000:
            // What arecord and its kin write into a pipe, where they stop after so much.
            self = WAVDataExtent(byteCount: Int64(size), isDeclared: false)
        default:
            self = .declared(Int64(size))
        }
    }

    /// The extent that the 64-bit size of a ds64 chunk means.
    init(size64: UInt64, chunkFollows: Bool) {
        if size64 == 0 {
            self = chunkFollows ? .declared(0) : .toTheEnd
        } else {
            // Beyond 2⁶³ bytes no file goes; 2⁶⁴ - 1 is a stream's.
            self = Int64(exactly: size64).map(WAVDataExtent.declared) ?? .toTheEnd
        }
    }

    init(byteCount: Int64?, isDeclared: Bool) {
        self.byteCount = byteCount
        self.isDeclared = isDeclared
    }
}
