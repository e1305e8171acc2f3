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

    init(path: String) throws(FileError) {
        state = Mutex(State(output: try AtomicOutput(path: path)))
    }

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

    /// After a failure: commits what there is, if there is anything.
    func commitWhatThereIs() throws {
        try state.withLock { if $0.isWorthKeeping { try $0.output.commit() } }
    }
}
