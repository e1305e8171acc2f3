import System

/// Why something could not be kept, or what was asked for makes no sense.
public typealias OutboxError = StorageError

extension OutboxError.Code {
    /// What was asked for makes no sense: a template without a place for the text.
    public static let invalid = OutboxError.Code(rawValue: "invalid")
}
