import Foundation
import Models

/// The recognition of one stream by libvosk. It guards against calls that libvosk ignores or fails in. When the process that computes
/// has ended, another hears again what was said since the last utterance, so no word is lost.
final class VoskRecognizer: SpeechRecognizer {
    /// The state of libvosk's recognizer. libvosk has the same states, and silently ignores a call that does not fit.
    private enum State {
        /// No samples were taken since it was made or flushed.
        case fresh
        case inUtterance
        /// An utterance has ended; frames after its end are not decoded yet, and belong to the next.
        case atEndpoint
        /// libvosk has thrown an exception, or its process ends again and again; its state is unknown.
        case failed
    }

    let configuration: RecognizerConfiguration
    private let model: VoskModel
    private var handle: VoskRecognizerHandle?
    private var state = State.fresh
    private var calls: VoskCalls { model.calls }

    private(set) var samplesAccepted: Int64 = 0
    /// The samples whose text is not final, and the number of those before; the handle counts from `handleStart`.
    private var pending: [Int16] = []
    private var pendingStart: Int64 = 0
    private var handleStart: Int64 = 0
    /// The utterances that have ended while another process heard again what was pending.
    private var ended: [Hypothesis] = []
    /// Whether the utterance of the endpoint that was found last is among them.
    private var isEndpointTaken = false
    /// How often the process has ended since the last utterance.
    private var deaths = 0

    /// The samples of a frame for which libvosk computes a sound: three of its features, each 10 ms after the one before.
    private var frame: Int64 { Int64(model.sampleRate * 3 / 100) }

    /// The number of processes that may end over one utterance.
    private static let mostDeaths = 3
    /// The sound that libvosk may have taken and not decoded when an utterance ends, in seconds.
    private static let longestUndecoded: Int64 = 1

    init(_ handle: VoskRecognizerHandle, model: VoskModel, configuration: RecognizerConfiguration) {
        self.handle = handle
        self.model = model
        self.configuration = configuration
    }

    /// Returns the native recognizer for another owner. This object can't be used any more.
    func giveUpHandle() -> VoskRecognizerHandle? {
        defer { handle = nil }
        return handle
    }

    func accept(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool {
        _ = try usablePointer()
        if samples.isEmpty { return false }
        pending += samples
        samplesAccepted += Int64(samples.count)
        do throws(SpeechError) {
            return try feed(samples)
        } catch {
            return try hearAgain(after: error)
        }
    }

    func volatileHypothesis() throws(SpeechError) -> Hypothesis {
        _ = try usablePointer()
        let rest = try retrying { () throws(SpeechError) in
            state == .inUtterance ? try hypothesis(calls.recognizerPartialResult) : .empty
        }
        return ended.isEmpty ? rest : Hypothesis(joining: ended + [rest])
    }

    func endUtterance() throws(SpeechError) -> Hypothesis {
        _ = try usablePointer()
        guard state == .atEndpoint else { return .empty }
        let result = try retrying { () throws(SpeechError) in
            if state == .atEndpoint { return isEndpointTaken ? .empty : try takeUtterance(at: samplesAccepted) }
            // Another process may not have found the end.
            return try finalHypothesis()
        }
        return joined(result)
    }

    func flush() throws(SpeechError) -> Hypothesis {
        _ = try usablePointer()
        if state == .fresh { return .empty }
        let result = try retrying { () throws(SpeechError) in
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
            return try finalHypothesis()
        }
        return joined(result)
    }

    /// Passes samples to libvosk.
    ///
    /// - Returns: whether an utterance has ended.
    private func feed(_ samples: UnsafeBufferPointer<Int16>) throws(SpeechError) -> Bool {
        guard let start = samples.baseAddress, let pointer = handle?.pointer else { return false }
        let answer = calls.recognizerAccept(pointer, start, Int32(samples.count))
        guard answer >= 0 else { throw failure("while it decoded") }
        state = answer > 0 ? .atEndpoint : .inUtterance
        isEndpointTaken = false
        return answer > 0
    }

    /// Repeats what fails because the process has ended, with another one.
    private func retrying(_ body: () throws(SpeechError) -> Hypothesis) throws(SpeechError) -> Hypothesis {
        while true {
            do throws(SpeechError) {
                return try body()
            } catch {
                _ = try hearAgain(after: error)
            }
        }
    }

    /// Lets another process hear what is pending, if the last one has ended.
    ///
    /// - Returns: whether an utterance has ended with the last sample.
    private func hearAgain(after failure: SpeechError) throws(SpeechError) -> Bool {
        var failure = failure
        while endOfProcess != nil, deaths < Self.mostDeaths {
            deaths += 1
            do throws(SpeechError) {
                handle = try model.makeHandle(configuration)
                handleStart = pendingStart
                state = .fresh
                return try feedPending()
            } catch {
                failure = error
            }
        }
        state = .failed
        throw failure
    }

    /// How the process has ended, as the end of a sentence; nil while it runs.
    private var endOfProcess: String? { handle.flatMap { calls.endOfProcess($0.pointer) } }

    /// Passes what is pending to a new recognizer, in pieces, for an utterance may end in the middle.
    private func feedPending() throws(SpeechError) -> Bool {
        let piece = model.sampleRate / 10
        var next = pendingStart
        var isAtEndpoint = false
        while next < samplesAccepted {
            let samples = pending.dropFirst(Int(next - pendingStart)).prefix(piece)
            isAtEndpoint = try samples.withUnsafeBufferPointer { samples throws(SpeechError) in try feed(samples) }
            next += Int64(samples.count)
            // The next piece makes libvosk forget it, and the caller may be in the middle of another call.
            if isAtEndpoint { ended.append(try takeUtterance(at: next)) }
        }
        return isAtEndpoint
    }

    /// Returns the utterance that has ended with the sample before `next`.
    private func takeUtterance(at next: Int64) throws(SpeechError) -> Hypothesis {
        let result = try hypothesis(calls.recognizerResult)
        isEndpointTaken = true
        let decoded = next - Self.longestUndecoded * Int64(model.sampleRate)
        // The end of a word sounds a little longer than its range, and could be heard again as a word.
        let lastWord = result.best.words.last.map { $0.range.upperBound + 3 * frame } ?? 0
        // The frames of another process lie as these, and the times of its words.
        settle(through: handleStart + (min(next, max(decoded, lastWord)) - handleStart) / frame * frame)
        return result
    }

    /// Records that the text before a sample is final.
    private func settle(through end: Int64) {
        let count = Int(min(max(0, end - pendingStart), Int64(pending.count)))
        pending.removeFirst(count)
        pendingStart += Int64(count)
        deaths = 0
    }

    /// Joins a hypothesis to those of the utterances before it.
    private func joined(_ result: Hypothesis) -> Hypothesis {
        defer { ended = [] }
        return ended.isEmpty ? result : Hypothesis(joining: ended + [result])
    }

    private func usablePointer() throws(SpeechError) -> OpaquePointer {
        guard let handle, state != .failed else { throw failure("earlier and can't go on") }
        return handle.pointer
    }

    private func finalHypothesis() throws(SpeechError) -> Hypothesis {
        let result = try hypothesis(calls.recognizerFinalResult)
        state = .fresh
        settle(through: samplesAccepted)
        return result
    }

    private func hypothesis(
        _ call: (OpaquePointer) -> UnsafePointer<CChar>?
    ) throws(SpeechError) -> Hypothesis {
        // The string belongs to the recognizer and is freed at its next call, so it is copied at once.
        let json = call(try usablePointer()).map { Data(bytes: $0, count: strlen($0)) }
        guard let json, let hypothesis = VoskResult.hypothesis(from: json, sampleRate: model.sampleRate) else {
            throw failure("and gave no readable result")
        }
        return handleStart == 0 ? hypothesis : hypothesis.moved(by: handleStart)
    }

    private func failure(_ when: String) -> SpeechError {
        let reason = SpeechLog.takeLastError().map { " (\($0))" } ?? ""
        let end = endOfProcess.map { " with the model \(model.path): its process \($0)" } ?? ""
        return SpeechError(
            .moduleOutputFailed, "the recognizer failed \(when)\(end)\(reason); what was heard before is kept")
    }
}
