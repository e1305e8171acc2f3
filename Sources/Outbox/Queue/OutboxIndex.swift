import Foundation

/// The names in an outbox folder: the operations in creation order, and the other files.
public struct OutboxIndex: Hashable, Sendable {
    /// An operation's id and creation time. It is small, for there may be a hundred thousand.
    struct Entry: Hashable, Sendable, Comparable {
        private let high: UInt64
        private let low: UInt64
        /// The creation time, in milliseconds since 1970.
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

    /// The ids of the operations, the oldest first.
    public var ids: some RandomAccessCollection<UUID> { entries.lazy.map(\.id) }

    /// The names of files that are not utter's. They are left alone.
    public internal(set) var foreign: [String] = []
    /// The names of the files in the folder `aside`, which this version can't decode.
    public internal(set) var aside: [String] = []
}
