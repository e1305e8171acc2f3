import Foundation

/// What lies in an outbox folder, in creation order, without what is in the files.
public struct OutboxIndex: Hashable, Sendable {
    /// An operation by its id, and the time by which it is sorted. Small, for there may be a hundred thousand.
    struct Entry: Hashable, Sendable, Comparable {
        var id: UUID
        /// In milliseconds since 1970.
        var time: Int64

        static func < (one: Entry, other: Entry) -> Bool {
            (one.time, one.id.halves.high, one.id.halves.low) < (other.time, other.id.halves.high, other.id.halves.low)
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
