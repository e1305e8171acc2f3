import Foundation

/// The names in an outbox folder: the operations in creation order, and the other files.
public struct OutboxIndex: Hashable, Sendable {
    /// An operation's id and creation time. It is small, for there may be a hundred thousand.
    struct Entry: Hashable, Sendable, Comparable {
        let id: UUID
        /// The creation time, in milliseconds since 1970.
        let time: Int64

        static func < (one: Entry, other: Entry) -> Bool {
            let (first, second) = (one.id.halves, other.id.halves)
            return (one.time, first.high, first.low) < (other.time, second.high, second.low)
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
