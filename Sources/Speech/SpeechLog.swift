import CVosk
import Foundation
import Synchronization
import System

/// The messages of the engine, which are discarded unless a handler is set.
public enum SpeechLog {
    /// The severity of a message.
    public enum Severity: Sendable, Comparable {
        case information
        case warning
        case error
    }

    /// Receives the messages of the engine, on any thread.
    public typealias Handler = @Sendable (_ severity: Severity, _ message: String) -> Void

    private struct State {
        var handler: Handler?
        var lastError: String?
    }

    private static let state = Mutex(State())

    /// Sets the handler that receives the engine's messages, on any thread; `nil` discards them.
    ///
    /// Messages are about models, files and settings, and do not contain what was said. They may name a word of the
    /// user's own vocabulary that the model does not have.
    public static func setHandler(_ handler: Handler?) {
        state.withLock { $0.handler = handler }
    }

    /// Returns the last error that the engine has logged since the last call, for use in an error of ours.
    static func takeLastError() -> String? {
        state.withLock { state in
            defer { state.lastError = nil }
            return state.lastError
        }
    }

    /// Loads a model while libvosk's messages are captured.
    ///
    /// While it loads, libvosk replaces any log handler by its own, which writes to stderr every message up to its log
    /// level. So the level is set to silence. If there is a handler, or if the load fails and its reason is needed, the
    /// load runs with stderr captured.
    ///
    /// - Parameter load: loads the model; `nil` if that fails. It is then called a second time.
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

    /// A level below the severity of any message.
    private static let silentLevel: Int32 = -10

    private typealias KaldiHandler = @convention(c) (UnsafePointer<Int32>, UnsafePointer<CChar>) -> Void

    /// Kaldi's function to set a log handler. libvosk has no C function for it, but exports the C++ one under this
    /// name. If a build does not, messages after the load are discarded.
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

    /// Handles a line as libvosk prints it: `ERROR (VoskAPI:Model():model.cc:122) …`, or `ERROR: …`. Lines of other
    /// code go to stderr.
    private static func receiveLine(_ line: String) {
        // OpenFST, which libvosk contains, prints in its own format.
        for prefix in ["ERROR: ", "FATAL: "] where line.hasPrefix(prefix) {
            return receive(.error, String(line.dropFirst(prefix.count)))
        }
        guard let mark = line.range(of: " (VoskAPI:"),
            let end = line.range(of: ") ", range: mark.upperBound..<line.endIndex)
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
