import Glibc
import Synchronization

/// Standard output, or one output file, for several transcripts that are made at the same time. They are written in the order of
/// the inputs: the text of the first unfinished one is written at once, that of the others waits.
final class OrderedOutput: Sendable {
    private struct State {
        var current = 0
        var waiting: [Int: String] = [:]
        var done: Set<Int> = []
        /// The input whose text was written last.
        var last: Int?
    }

    private let state = Mutex(State())
    private let head: String
    private let separator: String
    private let write: @Sendable (String) throws -> Void

    init(head: String = "", separator: String = "", _ write: @escaping @Sendable (String) throws -> Void) {
        (self.head, self.separator, self.write) = (head, separator, write)
    }

    func write(_ text: String, for index: Int) throws {
        try state.withLock { state in
            if index == state.current {
                try put(text, of: index, &state)
            } else {
                state.waiting[index, default: ""] += text
            }
        }
    }

    /// Ends the transcript of an input, and writes the waiting text of the next ones.
    func finish(_ index: Int) throws {
        try state.withLock { state in
            state.done.insert(index)
            while state.done.remove(state.current) != nil {
                state.current += 1
                if let text = state.waiting.removeValue(forKey: state.current) {
                    try put(text, of: state.current, &state)
                }
            }
        }
    }

    private func put(_ text: String, of index: Int, _ state: inout State) throws {
        if text.isEmpty { return }
        let before = state.last == nil ? head : state.last == index ? "" : separator
        state.last = index
        try write(before + text)
    }
}
