import CLinux
import Glibc
import Speech
import Synchronization

/// Reports that the recognizer crashed, from a signal handler. There is one model in a process.
///
/// Everything that the signal handler needs is prepared before; it neither allocates nor locks, and calls only functions that
/// POSIX allows there.
enum CrashReport {
    private struct Prepared {
        var sentence: UnsafeMutableRawBufferPointer
        /// A duplicate of the standard error, which may be redirected for a moment.
        var errors: Int32
    }

    // Written once, before `isPrepared` is set with release.
    nonisolated(unsafe) private static let prepared = {
        let memory = UnsafeMutablePointer<Prepared>.allocate(capacity: 1)
        memory.initialize(to: Prepared(sentence: UnsafeMutableRawBufferPointer(start: nil, count: 0), errors: -1))
        return memory
    }()

    private static let isPrepared = Atomic(false)
    /// The descriptor of the file that records the signal for the next start; -1 for none.
    private static let note = Atomic<Int32>(-1)

    /// Whether a signal means a fault of the process itself.
    static func isCrash(_ signal: Int32) -> Bool {
        signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGTRAP || signal == SIGABRT
            || signal == SIGFPE
    }

    /// Prepares to explain a crash in libvosk on the standard error. Only the first call has an effect.
    ///
    /// - Parameter sentence: the explanation. Dangerous characters are made visible.
    static func prepare(_ sentence: String) {
        makeAll()
        guard !isPrepared.load(ordering: .acquiring) else { return }
        let bytes = Array("utter: \(TerminalText.visible(sentence))\n".utf8)
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        prepared.pointee = Prepared(sentence: copy, errors: fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))
        isPrepared.store(true, ordering: .releasing)
        TerminalGuard.install()
    }

    /// Prepares to write the number of the signal that ends this process and a newline to a descriptor: 0 when the recognizer did
    /// not cause it.
    ///
    /// - Parameter descriptor: the descriptor of a file; -1 writes nothing.
    static func note(in descriptor: Int32) {
        makeAll()
        note.store(descriptor, ordering: .releasing)
    }

    /// Records the signal, and explains it if this thread has crashed in libvosk. Safe in a signal handler.
    static func tell(_ signal: Int32) {
        let isRecognizer = isCrash(signal) && EngineCall.isRunning(on: gettid())
        let descriptor = note.load(ordering: .acquiring)
        if descriptor >= 0 {
            let noted = isRecognizer ? signal : 0
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { bytes in
                bytes[0] = UInt8(48 + noted / 10)
                bytes[1] = UInt8(48 + noted % 10)
                bytes[2] = UInt8(ascii: "\n")
                _ = write(descriptor, bytes.baseAddress, 3)
            }
        }
        guard isRecognizer, isPrepared.load(ordering: .acquiring) else { return }
        _ = write(prepared.pointee.errors, prepared.pointee.sentence.baseAddress, prepared.pointee.sentence.count)
    }

    /// Initializes the static properties, which a signal handler must not do.
    static func makeAll() {
        EngineCall.prepare()
        _ = (prepared, note.load(ordering: .relaxed), isPrepared.load(ordering: .relaxed), isCrash(0))
    }
}
