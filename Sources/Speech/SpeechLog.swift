import Audio
import CVosk
import Foundation
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
    }

    /// The last error that the engine logged since the last call, to put into our own.
    static func takeLastError() -> String? {
        state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
    }

    /// Loads a model with libvosk's messages in our hands.
    ///
    /// While libvosk loads it puts a log handler of its own in the place of any other, which prints on stderr what is at most
    /// as verbose as its level. So it is told to say nothing; when somebody listens, or the load fails and the reason is
    /// wanted, the load is done with stderr caught.
    ///
    /// - Parameter load: `nil` when it fails. It is then called once more.
    static func duringLoad<Value>(_ load: () -> Value?) -> Value? {
        defer { installHandler() }
        let isHeard = state.withLock { state in
            state.lastError = nil
            return state.handler != nil
        }
        vosk_set_log_level(silentLevel)
        if !isHeard, let value = load() { return value }
        vosk_set_log_level(0)
        defer { vosk_set_log_level(silentLevel) }
        let (value, text) = StandardErrorCapture.during(load)
        for line in text.split(separator: "\n") { receiveLine(String(line)) }
        return value
    }

    /// Lower than any message's severity.
    private static let silentLevel: Int32 = -10

    private typealias KaldiHandler = @convention(c) (UnsafePointer<Int32>, UnsafePointer<CChar>) -> Void

    /// Kaldi's own hook. libvosk has no C function for it, but exports the C++ one under this name; where a build of it does
    /// not, messages after the load are silent.
    private static let setKaldiHandler: (@convention(c) (KaldiHandler) -> Void)? = {
        let address = dlsym(nil, "_ZN5kaldi13SetLogHandlerEPFvRKNS_18LogMessageEnvelopeEPKcE")
        return address.map { unsafeBitCast($0, to: (@convention(c) (KaldiHandler) -> Void).self) }
    }()

    private static func installHandler() {
        setKaldiHandler?({ envelope, text in
            // The envelope begins with the severity: 0 information, -1 warning, below that errors.
            let severity: Severity = envelope.pointee >= 0 ? .information : envelope.pointee == -1 ? .warning : .error
            SpeechLog.receive(severity, String(cString: text))
        })
    }

    /// A line as libvosk prints it: `ERROR (VoskAPI:Model():model.cc:122) …`, or `ERROR: …`. Lines of others go where they were to go.
    private static func receiveLine(_ line: String) {
        // OpenFST inside it has a voice of its own.
        for prefix in ["ERROR: ", "FATAL: "] where line.hasPrefix(prefix) {
            return receive(.error, String(line.dropFirst(prefix.count)))
        }
        guard let mark = line.range(of: " (VoskAPI:"), let end = line.range(of: ") ", range: mark.upperBound..<line.endIndex)
        else {
            FileHandle.standardError.write(Data((line + "\n").utf8))
            return
        }
        let severity: Severity =
            switch line[..<mark.lowerBound] {
            case "LOG": .information
            case "WARNING": .warning
            default: .error
            }
        receive(severity, String(line[end.upperBound...]))
    }

    private static func receive(_ severity: Severity, _ message: String) {
        let handler = state.withLock { state in
            if severity == .error { state.lastError = message }
            return state.handler
        }
        handler?(severity, message)
    }
}
