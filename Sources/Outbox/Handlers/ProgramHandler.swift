import Glibc
import System

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

extension BoundedProgram.End {
    /// What a delivery has come to by the end of its program.
    ///
    /// - Parameters:
    ///   - program: the program, for the reason.
    ///   - limit: how long it could run.
    ///   - network: the exit statuses that say that the network is not there.
    func outcome(of program: String, within limit: Duration, network: Set<Int32> = []) -> DeliveryOutcome {
        switch self {
        case .exited(0): .delivered
        case .exited(let status):
            .failed(reason: "\(program) ended with exit status \(status)", isNetwork: network.contains(status))
        case .killed(let signal): .failed(reason: "\(program) was ended by signal \(signal)")
        case .stopped: .failed(reason: "\(program) did not end within \(limit.components.seconds) seconds")
        case .notStarted(let code): .failed(reason: "\(program) can't be started: \(String(cString: strerror(code)))")
        }
    }
}
