import CLinux
import Glibc
import Speech
import Synchronization

/// Says that a crash was one of the recognizer's. There is one model in a process.
///
/// What a signal handler needs is set up before; it allocates nothing, locks nothing, and calls only what POSIX allows there.
enum CrashReport {
    private struct Prepared {
        var sentence: UnsafeMutableRawBufferPointer
        /// Our stderr, which may be another's for a moment.
        var errors: Int32
    }

    // Written once, before `isPrepared` is set with release.
    nonisolated(unsafe) private static let prepared = {
        let memory = UnsafeMutablePointer<Prepared>.allocate(capacity: 1)
        memory.initialize(to: Prepared(sentence: UnsafeMutableRawBufferPointer(start: nil, count: 0), errors: -1))
        return memory
    }()

    private static let isPrepared = Atomic(false)
    /// Where the signal is noted for the next start; -1 for nowhere.
    private static let note = Atomic<Int32>(-1)

    /// Whether the signal says that the process has done what it must not do.
    static func isCrash(_ signal: Int32) -> Bool {
        signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGTRAP || signal == SIGABRT || signal == SIGFPE
    }

    /// From now on a crash in libvosk is explained on stderr.
    ///
    /// - Parameter sentence: what is said. Untrusted parts are made visible.
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

    /// From now on the number of a signal by which the recognizer dies is written there, followed by a newline; 0 when we die by a
    /// signal that is not its fault. -1 for nowhere.
    static func note(in descriptor: Int32) {
        makeAll()
        note.store(descriptor, ordering: .releasing)
    }

    /// For a signal handler: says what there is to say, if this thread has crashed in libvosk.
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

    /// What must not be made in a signal handler.
    static func makeAll() {
        EngineCall.prepare()
        _ = (prepared, note.load(ordering: .relaxed), isPrepared.load(ordering: .relaxed), isCrash(0))
    }
}
