import CVosk
import Glibc
import Synchronization

/// The engine's own messages. Nobody gets them until somebody asks.
public enum SpeechLog {
    /// How grave a message is.
    public enum Severity: Sendable, Comparable {
        case information
        case warning
        case error
    }

    public typealias Handler = @Sendable (_ severity: Severity, _ message: String) -> Void

    private struct State {
        var handler: Handler?
        var lastError: String?
    }

    private static let state = Mutex(State())

    /// Sends the engine's messages to `handler`, on whatever thread they arise, or nowhere when it is `nil`.
    ///
    /// Messages tell of models, files and settings, not of what was said; a word of the user's own vocabulary that the
    /// model lacks is named.
    public static func setHandler(_ handler: Handler?) {
        state.withLock { $0.handler = handler }
        start()
    }

    /// Takes the engine's log away from stderr. Called before the first use of the engine.
    static func start() { _ = installed }

    /// The last error that the engine logged since the last call, to put into our own.
    static func takeLastError() -> String? {
        state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
    }

    private static let installed: Bool = {
        // Kaldi's own hook. libvosk has no C function for it, but exports the C++ one under this name; without it the
        // engine can only be told to be quiet.
        let symbol = "_ZN5kaldi13SetLogHandlerEPFvRKNS_18LogMessageEnvelopeEPKcE"
        typealias LogHandler = @convention(c) (UnsafePointer<Int32>, UnsafePointer<CChar>) -> Void
        guard let address = dlsym(nil, symbol) else {
            vosk_set_log_level(-1)
            return false
        }
        vosk_set_log_level(0)
        unsafeBitCast(address, to: (@convention(c) (LogHandler) -> Void).self)({ envelope, text in
            // The envelope begins with the severity: 0 information, -1 warning, below that errors.
            let severity: Severity = envelope.pointee >= 0 ? .information : envelope.pointee == -1 ? .warning : .error
            SpeechLog.receive(severity, String(cString: text))
        })
        return true
    }()

    private static func receive(_ severity: Severity, _ message: String) {
        let handler = state.withLock { state in
            if severity == .error { state.lastError = message }
            return state.handler
        }
        handler?(severity, message)
    }
}
