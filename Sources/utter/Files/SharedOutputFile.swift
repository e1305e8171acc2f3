import Audio
import Synchronization

/// An `AtomicOutput` that several tasks write to, one piece at a time.
final class SharedOutputFile: Sendable {
    private struct State: ~Copyable {
        var output: AtomicOutput
        /// Whether there is something in it, all of which was written.
        var isWorthKeeping = false
    }

    private let state: Mutex<State>

    init(_ output: sending AtomicOutput) { state = Mutex(State(output: output)) }

    func write(_ text: String) throws {
        try state.withLock { state in
            if text.isEmpty { return }
            state.isWorthKeeping = false
            try state.output.write(text)
            state.isWorthKeeping = true
        }
    }

    func commit() throws {
        try state.withLock { try $0.output.commit() }
    }

    /// After a failure: keeps what there is, if there is anything, as a part.
    ///
    /// - Returns: the path of the part, where one was made.
    func keepPart() throws -> String? {
        try state.withLock { state in state.isWorthKeeping ? try state.output.keepPart() : nil }
    }
}
