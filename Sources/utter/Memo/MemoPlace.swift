/// Where a memo is to be kept, as the user had chosen when it began.
struct MemoPlace: Equatable, Sendable {
    /// The names of the outbox's destinations; empty for standard output.
    var destinations: [String]
    /// The absolute path of the notes' folder, for notes that are not a configured destination.
    var notes: String?

    static let standardOutput = MemoPlace(destinations: [])
}
