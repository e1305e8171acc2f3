/// Where a memo belongs, as the user had said when it began.
struct MemoPlace: Equatable, Sendable {
    /// The destinations of the outbox by their names. Without any it was for standard output.
    var destinations: [String]
    /// The folder of the notes that are no configured destination, from the root on.
    var notes: String?

    static let standardOutput = MemoPlace(destinations: [])
}
