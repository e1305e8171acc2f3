import CWorkerStart
import Glibc
import Synchronization
import System

/// A process that has a model of libvosk's, seen from here; see `VoskServer`. Releasing it ends the process.
final class VoskProcess: Sendable {
    let child: ChildProcess
    /// The socket on which connections are sent.
    private let socket: Int32
    /// How the process has ended, and whether another one has killed it; nil while it runs.
    private let ended = Mutex<(sentence: String, byOthers: Bool)?>(nil)

    /// The longest time for a call, in seconds. It decodes a tenth of a second of sound, at most some seconds.
    static let longestCall: Int32 = 20

    /// The longest time for a model to load, in seconds, from a slow disk.
    static let longestLoad: Int32 = 300

    /// Starts a process.
    init() throws(FileError) {
        let (ours, theirs) = try ChildProcess.workerSockets()
        defer { close(theirs) }
        do throws(FileError) {
            child = try ChildProcess(worker: "/proc/self/exe", VoskServer.arguments, socket: theirs)
        } catch {
            close(ours)
            throw error
        }
        socket = ours
    }

    deinit { close(socket) }

    /// How the process has ended, as the end of a sentence; nil while it runs.
    var end: String? {
        // It sends nothing on this socket, so only its end makes the socket ready.
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if poll(&wait, 1, 0) > 0 { recordEnd() }
        return ended.withLock { $0?.sentence }
    }

    /// Whether the system or another process has killed it: what it did had no part in that.
    var wasKilledByOthers: Bool { end != nil && ended.withLock { $0?.byOthers } == true }

    /// Makes a connection.
    func connect() throws(FileError) -> VoskConnection {
        let (ours, theirs) = try ChildProcess.workerSockets()
        defer { close(theirs) }
        var limit = timeval(tv_sec: Int(Self.longestCall), tv_usec: 0)
        setsockopt(ours, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // If the process is gone, the first call tells it.
        _ = utter_send_descriptor(socket, theirs)
        return VoskConnection(ours, self)
    }

    /// Records that the process has ended, or is to be killed for the reason of a part of a sentence.
    fileprivate func recordEnd(killedFor reason: String? = nil) {
        ended.withLock { ended in
            if ended != nil { return }
            if reason != nil { child.kill() }
            let sentence: String
            let end = child.end(within: .seconds(5))
            switch end {
            case .killed(SIGKILL): sentence = reason ?? "was killed, perhaps because memory was short"
            case .killed(let signal): sentence = "crashed with signal \(signal)"
            case .exited(let status): sentence = "ended with exit status \(status)"
            }
            ended = (sentence, reason == nil && end == .killed(signal: SIGKILL))
        }
    }
}

/// A connection to the process, with at most one recognizer. For one thread at a time.
final class VoskConnection: @unchecked Sendable {
    let process: VoskProcess
    private let socket: Int32
    /// The text of the last call, which ends with a zero.
    private var text: [CChar] = []

    fileprivate init(_ socket: Int32, _ process: VoskProcess) { (self.socket, self.process) = (socket, process) }

    deinit { close(socket) }

    /// Makes a call whose C function returns a number.
    ///
    /// - Returns: nil if the process has ended.
    func value(_ call: VoskMessage.Call, _ bytes: UnsafeRawBufferPointer) -> Int32? {
        answer(call, bytes: bytes)?.value
    }

    /// Makes a call whose C function takes a text.
    ///
    /// - Parameter limit: the longest time for it, in seconds.
    func value(
        _ call: VoskMessage.Call, _ numbers: (Float, Float, Float) = (0, 0, 0), text: String,
        limit: Int32 = VoskProcess.longestCall
    ) -> Int32? {
        var text = text
        return text.withUTF8 { answer(call, numbers, bytes: UnsafeRawBufferPointer($0), limit: limit)?.value }
    }

    /// Makes a call whose C function returns a text, which lives until the next call.
    func text(_ call: VoskMessage.Call) -> UnsafePointer<CChar>? {
        guard let answer = answer(call), answer.textCount >= 0 else { return nil }
        return text.withUnsafeBufferPointer { $0.baseAddress }
    }

    private func answer(
        _ call: VoskMessage.Call, _ numbers: (Float, Float, Float) = (0, 0, 0),
        bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        limit: Int32 = VoskProcess.longestCall
    ) -> VoskMessage.Answer? {
        if process.end != nil { return nil }
        let request = VoskMessage.Request(call: call, numbers: numbers, count: Int32(bytes.count))
        guard VoskMessage.send(request, bytes, to: socket) else {
            process.recordEnd()
            return nil
        }
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        if Descriptor.retrying({ poll(&wait, 1, limit * 1000) }) == 0 {
            process.recordEnd(killedFor: "did not answer for \(limit) s")
            return nil
        }
        guard let answer = VoskMessage.receive(VoskMessage.Answer.self, from: socket),
            let text = VoskMessage.receive(Int(max(0, answer.textCount)), from: socket),
            let log = VoskMessage.receive(Int(max(0, answer.logCount)), from: socket)
        else {
            process.recordEnd()
            return nil
        }
        self.text = text.map { CChar(bitPattern: $0) } + [0]
        for line in String(decoding: log, as: UTF8.self).split(separator: "\n") { SpeechLog.receiveLine(line) }
        return answer
    }
}
