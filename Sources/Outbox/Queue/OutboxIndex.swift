import Foundation

/// What lies in an outbox folder, in creation order, without what is in the files.
public struct OutboxIndex: Hashable, Sendable {
    /// An operation by its id, and the time by which it is sorted. Small, for there may be a hundred thousand.
    struct Entry: Hashable, Sendable, Comparable {
        private let high: UInt64
        private let low: UInt64
        /// In milliseconds since 1970.
        let time: Int64

        init(id: UUID, time: Int64) {
            (high, low) = id.halves
            self.time = time
        }

        var id: UUID { UUID(high: high, low: low) }

        static func < (one: Entry, other: Entry) -> Bool {
            (one.time, one.high, one.low) < (other.time, other.high, other.low)
        }
    }

    var entries: [Entry] = []

    /// The operations, the oldest first.
    public var ids: some RandomAccessCollection<UUID> { entries.lazy.map(\.id) }

    /// Names of files that are none of ours. They are left alone.
    public internal(set) var foreign: [String] = []
    /// Names of files in the folder `aside`: no version that ran since could read them.
    public internal(set) var aside: [String] = []
}
