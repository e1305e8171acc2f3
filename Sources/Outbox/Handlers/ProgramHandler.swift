/// A handler that gives what was said to a program of the user's choice.
///
/// What such a program says of a failure may hold the text, in whatever shape, so none of it goes into a reason, and with that into a
/// file or a log: a reason has how the program ended. To see what it says there is a test at the terminal.
package protocol ProgramHandler: OutboxHandler {
    /// Tries once, as `deliver` does.
    ///
    /// - Returns: also the first 64 KiB of what the program has said on stderr, for the eyes of who waits for it.
    func attempt(_ operation: OutboxOperation) async -> (outcome: DeliveryOutcome, words: [UInt8])
}
