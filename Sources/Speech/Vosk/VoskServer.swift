import CLinux
import CVosk
import CWorkerStart
import Foundation
import Glibc
import Synchronization
import System

/// The process that has a model of libvosk's: the same program, started again, which ends with the one that has started it. With a
/// damaged model, libvosk may crash or compute for ever; then this process ends, and another goes on.
///
/// It begins before the program's `main`, so it has the C locale: libvosk formats and parses numbers by the process's locale, and breaks
/// its own JSON and configuration if that has a decimal comma. Each connection that it is sent has a thread.
enum VoskServer {
    /// The arguments that make the program such a process of this one.
    static var arguments: [String] { [VOSK_PROCESS_OPTION, "\(getpid())"] }

    /// Serves connections until the other process ends or wants no more.
    fileprivate static func serve(parent: pid_t) -> Never {
        guard getppid() == parent else { _exit(EX_UNAVAILABLE) }
        // A session that ends by a signal to its whole group or service still needs the rest of its text.
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        // A limit to the size of files holds for the log, too.
        signal(SIGXFSZ, SIG_IGN)
        Memory.limitProcess()
        let library = VoskLibrary()
        while true {
            let descriptor = utter_receive_descriptor(STDIN_FILENO)
            // Whatever its threads are doing: nothing has to be flushed.
            if descriptor < 0 { _exit(EX_OK) }
            let thread = Thread { VoskConnectionServer(library).serve(descriptor) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

/// Called by the constructor in CWorkerStart.
@_cdecl("utter_vosk_process_serve")
func voskProcessServe(parent: Int32) -> Never { VoskServer.serve(parent: parent) }

/// What the connections share: the model, and what libvosk prints.
final class VoskLibrary: Sendable {
    /// Set by the first connection, before there are others.
    nonisolated(unsafe) fileprivate var model: OpaquePointer?
    /// What is printed to the standard error, which is a file of this process alone.
    private let log = Mutex(memfd_create("libvosk", UInt32(CLINUX_MEMORY_FILE_CLOSED_ON_EXEC)))

    fileprivate init() {
        log.withLock { log in
            _ = fcntl(log, F_SETFL, O_APPEND)
            dup2(log, STDERR_FILENO)
        }
        vosk_set_log_level(0)
    }

    /// Returns what was printed since the last call.
    fileprivate func takeLog() -> [UInt8] {
        log.withLock { log in
            guard let status = stat(log), status.st_size > 0 else { return [] }
            var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
            let count = pread(log, &bytes, bytes.count, 0)
            ftruncate(log, 0)
            return Array(bytes.prefix(max(0, count)))
        }
    }
}

/// Performs the calls of one connection. A connection has at most one recognizer, which ends with it.
private final class VoskConnectionServer {
    private let library: VoskLibrary
    private var recognizer: OpaquePointer?

    init(_ library: VoskLibrary) { self.library = library }

    func serve(_ socket: Int32) {
        while let request = VoskMessage.receive(VoskMessage.Request.self, from: socket),
            let bytes = VoskMessage.receive(Int(request.count), from: socket), answer(request, bytes, socket)
        {}
        if let recognizer { vosk_recognizer_free(recognizer) }
        close(socket)
    }

    /// Makes a call, and sends its answer.
    ///
    /// - Returns: whether it is sent.
    private func answer(_ request: VoskMessage.Request, _ bytes: [UInt8], _ socket: Int32) -> Bool {
        var answer = VoskMessage.Answer()
        var text: UnsafePointer<CChar>?
        switch request.call {
        case .load, .findWord, .makeRecognizer: answer.value = prepare(request, bytes)
        case .accept: answer.value = accept(bytes)
        case .result: text = recognizer.flatMap { vosk_recognizer_result($0) }
        case .partialResult: text = recognizer.flatMap { vosk_recognizer_partial_result($0) }
        case .finalResult: text = recognizer.flatMap { vosk_recognizer_final_result($0) }
        }
        let textBytes = UnsafeRawBufferPointer(start: text, count: text.map { strlen($0) } ?? 0)
        let log = library.takeLog()
        answer.textCount = text == nil ? -1 : Int32(textBytes.count)
        answer.logCount = Int32(log.count)
        return log.withUnsafeBytes { VoskMessage.send(answer, textBytes, $0, to: socket) }
    }

    /// Loads the model, finds a word in it or makes the recognizer.
    ///
    /// - Returns: what the function returns; for a pointer, 1, or 0 for none.
    private func prepare(_ request: VoskMessage.Request, _ bytes: [UInt8]) -> Int32 {
        (bytes + [0]).withUnsafeBytes { bytes in
            let text = bytes.bindMemory(to: CChar.self).baseAddress!
            if request.call == .load {
                library.model = vosk_model_new(text)
                return library.model == nil ? 0 : 1
            }
            guard let model = library.model else { return 0 }
            if request.call == .findWord { return vosk_model_find_word(model, text) }
            let (rate, alternatives, partialWords) = request.numbers
            recognizer =
                request.count == 0 ? vosk_recognizer_new(model, rate) : vosk_recognizer_new_grm(model, rate, text)
            guard let recognizer else { return 0 }
            vosk_recognizer_set_max_alternatives(recognizer, Int32(alternatives))
            vosk_recognizer_set_words(recognizer, 1)
            vosk_recognizer_set_partial_words(recognizer, Int32(partialWords))
            return 1
        }
    }

    private func accept(_ bytes: [UInt8]) -> Int32 {
        guard let recognizer else { return -1 }
        return bytes.withUnsafeBytes { bytes in
            let samples = bytes.bindMemory(to: Int16.self)
            return samples.baseAddress.map {
                vosk_recognizer_accept_waveform_s(recognizer, $0, Int32(samples.count))
            } ?? 0
        }
    }
}
