import Synchronization

/// An `AtomicOutput` that several tasks write to, one piece at a time.
final class SharedOutputFile: Sendable {
    private let output: Mutex<AtomicOutput>

    init(path: String) throws(FileError) {
        output = Mutex(try AtomicOutput(path: path))
    }

    func write(_ text: String) throws {
        try output.withLock { try $0.write(text) }
    }

    func commit() throws {
        try output.withLock { try $0.commit() }
    }
}
