import Glibc
import Synchronization

/// Standard output, or one output file, for several transcripts that are made at the same time: each comes out whole, in
/// the order of the inputs. The first that is not done goes straight through; the others' text waits.
final class OrderedOutput: Sendable {
    private struct State {
        var current = 0
        var waiting: [Int: String] = [:]
        var done: Set<Int> = []
    }

    private let state = Mutex(State())
    private let put: @Sendable (String) throws -> Void

    /// - Parameter put: writes text to the output.
    init(_ put: @escaping @Sendable (String) throws -> Void) { self.put = put }

    /// Appends to the transcript of an input.
    func write(_ text: String, for index: Int) throws {
        try state.withLock { state in
            if index == state.current { try put(text) } else { state.waiting[index, default: ""] += text }
        }
    }

    /// An input's transcript is complete; those behind it move up.
    func finish(_ index: Int) throws {
        try state.withLock { state in
            state.done.insert(index)
            while state.done.remove(state.current) != nil {
                state.current += 1
                if let text = state.waiting.removeValue(forKey: state.current) { try put(text) }
            }
        }
    }

    /// The input that goes straight through.
    var current: Int { state.withLock { $0.current } }
}
