import Foundation
import Models

/// The recognition of one stream by libvosk. It guards against calls that libvosk ignores or fails in.
final class VoskRecognizer: SpeechRecognizer {
    /// The state of libvosk's recognizer. libvosk has the same states, and silently ignores a call that does not fit.
    private enum State {
        /// No samples were taken since it was made or flushed.
        case fresh
        case inUtterance
        /// An utterance has ended; frames after its end are not decoded yet, and belong to the next.
        case atEndpoint
        /// libvosk has thrown an exception; its state is unknown.
        case failed
    }

    let configuration: RecognizerConfiguration
    private let model: VoskModel
    private var handle: VoskRecognizerHandle?
    private var state = State.fresh
    private var calls: VoskCalls { model.calls }

    init(_ handle: VoskRecognizerHandle, model: VoskModel, configuration: RecognizerConfiguration) {
        self.handle = handle
        self.model = model
        self.configuration = configuration
    }

    deinit {
        handle = nil
        AddressSpace.endRecognizer()
    }

    var samplesAccepted: Int64 { handle?.samplesAccepted ?? 0 }

    /// Returns the native recognizer for another owner. This object can't be used any more.
    func giveUpHandle() -> VoskRecognizerHandle? {
        defer { handle = nil }
        return handle
    }

    func accept(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool {
        let pointer = try usablePointer()
        guard let start = samples.baseAddress, !samples.isEmpty else { return false }
        let answer = EngineCall.make { calls.recognizerAccept(pointer, start, Int32(samples.count)) }
        handle?.samplesAccepted += Int64(samples.count)
        guard answer >= 0 else {
            state = .failed
            throw failure("while it decoded")
        }
        state = answer > 0 ? .atEndpoint : .inUtterance
        return answer > 0
    }

    func volatileHypothesis() throws(SpeechError) -> Hypothesis {
        let pointer = try usablePointer()
        guard state == .inUtterance else { return .empty }
        return try hypothesis(calls.recognizerPartialResult, pointer)
    }

    func endUtterance() throws(SpeechError) -> Hypothesis {
        let pointer = try usablePointer()
        guard state == .atEndpoint else { return .empty }
        return try hypothesis(calls.recognizerResult, pointer)
    }

    func flush() throws(SpeechError) -> Hypothesis {
        let pointer = try usablePointer()
        if state == .fresh { return .empty }
        var ended: [Hypothesis] = []
        // Two endpoints are rare, and eight do not occur.
        for _ in 0..<8 where state == .atEndpoint {
            // Right after an endpoint, final_result returns nothing, and the last words are lost if they were in the
            // last samples. One sample of silence puts the recognizer into an utterance again.
            let isAtEndpoint = try withUnsafePointer(to: Int16(0)) { pointer throws(SpeechError) in
                try accept(UnsafeBufferPointer(start: pointer, count: 1))
            }
            // The frames that were not decoded may contain a whole utterance, and more after it.
            if isAtEndpoint { ended.append(try endUtterance()) }
        }
        let result = try hypothesis(calls.recognizerFinalResult, pointer)
        state = .fresh
        return ended.isEmpty ? result : Hypothesis(joining: ended + [result])
    }

    private func usablePointer() throws(SpeechError) -> OpaquePointer {
        guard let handle, state != .failed else { throw failure("earlier and can't go on") }
        return handle.pointer
    }

    private func hypothesis(
        _ call: (OpaquePointer) -> UnsafePointer<CChar>?, _ pointer: OpaquePointer
    ) throws(SpeechError) -> Hypothesis {
        // The string belongs to the recognizer and is freed at its next call, so it is copied at once.
        let json = EngineCall.make { call(pointer).map { Data(bytes: $0, count: strlen($0)) } }
        guard let json, let hypothesis = VoskResult.hypothesis(from: json, sampleRate: model.sampleRate) else {
            state = .failed
            throw failure("and gave no readable result")
        }
        return hypothesis
    }

    private func failure(_ when: String) -> SpeechError {
        let reason = SpeechLog.takeLastError().map { " (\($0))" } ?? ""
        return SpeechError(.moduleOutputFailed, "the recognizer failed \(when)\(reason); what was heard before is kept")
    }
}
