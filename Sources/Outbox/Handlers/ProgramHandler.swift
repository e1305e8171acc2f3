/// A handler that passes captures to a program of the user's choice.
///
/// The program's error messages may hold the text, so none of them becomes part of a reason, which is written to files and
/// logs: a reason says only how the program ended. A test at the terminal shows the messages.
package protocol ProgramHandler: OutboxHandler {
    /// Tries to deliver an operation, once, as `deliver(_:)` does.
    ///
    /// - Returns: the outcome, and the first 64 KiB of the program's standard error, only to be shown to the user who waits.
    func attempt(_ operation: OutboxOperation) async -> (outcome: DeliveryOutcome, words: [UInt8])
}
