import Glibc
import System

/// What the headers of an AIFF or a Wave64 file say of its length: ffmpeg reads as far as the file goes, and says nothing.
struct DeclaredLength {
    private let descriptor: Int32
    private let size: Int64

    /// What is wrong with a regular file whose header was read; nil where nothing is, or the file has another format.
    static func defect(of descriptor: Int32) -> String? {
        let length = DeclaredLength(descriptor: descriptor, size: stat(descriptor).map { Int64($0.st_size) } ?? 0)
        return length.isAIFF(at: 0) ? length.defectOfAIFF : length.defectOfWave64
    }

    /// The size of the samples where nobody knew it, as sox writes it into a pipe, and any above it.
    private static let unknown: Int64 = 0x7F00_0000
    /// The most chunks that are looked at.
    private static let longestWalk = 1000
    private static let isShort = "its header announces more than there is"
    private static let isFollowed = "another recording follows behind it, and was not heard"

    private func isAIFF(at place: Int64) -> Bool {
        let head = bytes(12, at: place)
        return head.starts(with: "FORM".utf8) && ["AIFF", "AIFC"].contains { head.suffix(4).elementsEqual($0.utf8) }
    }

    /// Looks at the chunks behind the header, one after the other: `SSND` has the samples.
    private var defectOfAIFF: String? {
        var place: Int64 = 12
        for _ in 0..<Self.longestWalk {
            let head = bytes(8, at: place)
            guard head.count == 8 else { return nil }
            if isAIFF(at: place) { return Self.isFollowed }
            let length = head.suffix(4).reduce(0) { $0 << 8 | Int64($1) }
            if head.starts(with: "SSND".utf8) {
                if length == 0 || length >= Self.unknown { return nil }
                if place + 8 + length > size { return Self.isShort }
            }
            // A chunk of an odd length has a byte behind it.
            place += 8 + length + length % 2
        }
        return nil
    }

    /// A Wave64 file begins with a mark of 16 bytes and its whole length.
    private var defectOfWave64: String? {
        let head = bytes(24, at: 0)
        guard head.count == 24, head.starts(with: "riff".utf8), head[4] != 0 else { return nil }
        let length = head.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard length > 24, length < 1 << 62 else { return nil }
        if Int64(length) > size { return Self.isShort }
        let next = (Int64(length) + 7) / 8 * 8
        return bytes(16, at: next) == Array(head.prefix(16)) ? Self.isFollowed : nil
    }

    /// So many bytes of the file; fewer at its end. pread(2)
    private func bytes(_ count: Int, at place: Int64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }
}
