import Foundation
import Synchronization

/// An `AtomicOutput` that several tasks write to, one piece at a time.
final class SharedOutputFile: Sendable {
    private struct State: ~Copyable {
        var output: AtomicOutput
        /// Whether the output holds text.
        var isWorthKeeping = false
        /// The failure of a write, behind which nothing may stand.
        var failure: (any Error)?
    }

    private let state: Mutex<State>

    init(_ output: sending AtomicOutput) { state = Mutex(State(output: output)) }

    func write(_ text: String) throws {
        try state.withLock { state in
            if text.isEmpty { return }
            if let failure = state.failure { throw failure }
            do { try state.output.write(text) } catch {
                state.failure = error
                throw error
            }
            state.isWorthKeeping = true
        }
    }

    /// Gives the file its name, durably. See `AtomicOutput.commit()`.
    @discardableResult
    func commit(replacing replaces: Bool = true) throws -> Bool {
        try state.withLock { try $0.output.commit(replacing: replaces) }
    }

    /// Notes that the text is still to be sent. See `AtomicOutput.noteUnsent(_:)`.
    func noteUnsent(_ id: UUID) -> Bool { state.withLock { $0.output.noteUnsent(id) } }

    /// After a failure, keeps the text, if there is any, as a file with `.part` after the name.
    ///
    /// - Returns: the path of the part; nil when there is none.
    func keepPart() throws -> String? {
        try state.withLock { state in state.isWorthKeeping ? try state.output.keepPart() : nil }
    }
}
