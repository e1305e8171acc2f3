import Foundation
import Synchronization

extension UUID {
    private static let last = Mutex<(milliseconds: UInt64, count: UInt64)>((0, 0))

    /// Creates a UUID of version 7 (RFC 9562), which begins with its time, so that names sort in the order of their creation.
    /// Within one process each is greater than the one before, even when the clock goes back.
    public static func timeOrdered(at time: Date = Date()) -> UUID {
        let now = UInt64(max(0, min(time.timeIntervalSince1970 * 1000, 0xFFFF_FFFF_FFFF)))
        let (milliseconds, count) = last.withLock { last in
            if now > last.milliseconds {
                // A small number, which leaves room to count up.
                last = (now, UInt64.random(in: 0..<0x400))
            } else if last.count < 0xFFF {
                last.count += 1
            } else {
                last = (last.milliseconds + 1, 0)
            }
            return last
        }
        let high = milliseconds << 16 | 0x7000 | count
        let low = UInt64.random(in: 0...(.max)) >> 2 | 1 << 63
        return UUID(high: high, low: low)
    }

    init(high: UInt64, low: UInt64) {
        self.init(uuid: withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The upper and the lower 64 bits.
    var halves: (high: UInt64, low: UInt64) {
        withUnsafeBytes(of: uuid) { bytes in
            (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The UUID in lower case, as utter writes it everywhere.
    package var name: String { uuidString.lowercased() }

    /// The time in a UUID of version 7, in milliseconds since 1970; nil for another version.
    package var timeInMilliseconds: Int64? {
        let (high, low) = halves
        return high & 0xF000 == 0x7000 && low >> 62 == 0b10 ? Int64(high >> 16) : nil
    }

    /// The id of the operation that delivers the capture with this id to a destination. It is the same each time, so that adding
    /// a capture again after a crash makes no second operation.
    ///
    /// - Parameter destination: the configured name of the destination.
    public func forDestination(_ destination: String) -> UUID {
        // FNV-1a of the name; the time and the bits of the version and variant stay.
        let hash = destination.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let (high, low) = halves
        return UUID(high: high, low: low ^ hash >> 2)
    }

    /// Whether this and another id are of operations that deliver one capture.
    package func isOfCapture(of other: UUID) -> Bool { halves.high == other.halves.high }
}
