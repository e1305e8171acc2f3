import Foundation
import Glibc
import Models
import Synchronization
import TestSupport
import Testing

@testable import Speech

/// Tests of what happens to a stream when the process that has libvosk's model ends.
@Suite("The process of libvosk")
struct VoskProcessTests {
    /// The calls in which the process may end.
    enum Call: CaseIterable {
        case accept, partialResult, result, finalResult
    }

    /// Calls that send a signal to the process before some of the calls of a kind.
    private static func calls(
        _ number: Int32 = SIGKILL, before call: Call, where isDue: @escaping @Sendable (Int) -> Bool
    )
        -> (VoskCalls, sent: @Sendable () -> Int)
    {
        let counts = Counts()
        var calls = VoskCalls.library
        let ofText: WritableKeyPath<VoskCalls, @Sendable (OpaquePointer) -> UnsafePointer<CChar>?>
        switch call {
        case .accept:
            calls.recognizerAccept = { recognizer, samples, count in
                counts.send(number, recognizer, isDue)
                return VoskCalls.library.recognizerAccept(recognizer, samples, count)
            }
            return (calls, { counts.sent })
        case .partialResult: ofText = \.recognizerPartialResult
        case .result: ofText = \.recognizerResult
        case .finalResult: ofText = \.recognizerFinalResult
        }
        let original = calls[keyPath: ofText]
        calls[keyPath: ofText] = {
            counts.send(number, $0, isDue)
            return original($0)
        }
        return (calls, { counts.sent })
    }

    private final class Counts: Sendable {
        private let counts = Mutex((calls: 0, sent: 0))
        var sent: Int { counts.withLock { $0.sent } }

        func send(_ number: Int32, _ recognizer: OpaquePointer, _ isDue: (Int) -> Bool) {
            let isNow = counts.withLock { counts in
                counts.calls += 1
                let isNow = isDue(counts.calls)
                counts.sent += isNow ? 1 : 0
                return isNow
            }
            if isNow { VoskCalls.connection(recognizer).process.child.signal(number) }
        }
    }

    /// A recording when nothing befalls the process.
    private static let whole = Task { try await Options(reportsVolatile: true).run(Fixture.named("memo").samples()) }

    @Test("costs no word when it is killed, in whichever call, and none is there twice", arguments: Call.allCases)
    func killed(in call: Call) async throws {
        let fixture = Fixture.named("memo")
        let whole = try await Self.whole.value
        // Another process takes some calls to hear again what was pending.
        let due = call == .accept || call == .partialResult ? [9, 110, 260] : [1, 3]
        let (calls, sent) = Self.calls(before: call) { due.contains($0) }
        let outcome = try await Options(calls: calls, reportsVolatile: true).run(fixture.samples())
        #expect(outcome.text == whole.text)
        #expect(outcome.utterances.map(\.text) == whole.utterances.map(\.text))
        // A process that begins elsewhere may place a word some frames of 10 ms apart.
        let (found, expected) = (outcome.ledger, whole.ledger)
        #expect(found.delivered == expected.delivered && found.missing == expected.missing)
        #expect(abs(found.transcribed - expected.transcribed) <= 800, "\(found) \(expected)")
        #expect(sent() > 0)
    }

    @Test("that ends again and again is an error, and what was final before stays")
    func mortal() async throws {
        let fixture = Fixture.named("memo")
        let whole = try await Self.whole.value
        let (calls, _) = Self.calls(before: .accept) { $0 > 100 }
        let (transcriber, analyzer) = Options(calls: calls).session()
        try await analyzer.start(inputSequence: Inputs([try fixture.samples()]))
        var results: [SpeechTranscriber.Result] = []
        let thrown = await #expect(throws: SpeechError.self) {
            for try await result in transcriber.results { results.append(result) }
        }
        let error = try #require(thrown)
        #expect(error.code == .moduleOutputFailed && error.description.contains("its process was killed"), "\(error)")
        let texts = Outcome(results: results).utterances.map(\.text)
        #expect(!texts.isEmpty && whole.utterances.map(\.text).starts(with: texts))
        _ = await analyzer.finishCode()
    }

    @Test("that does not answer is killed, and another goes on", .long)
    func stopped() async throws {
        let fixture = Fixture.named("digits-awb")
        let (calls, sent) = Self.calls(SIGSTOP, before: .accept) { $0 == 12 }
        #expect(try await Options(calls: calls).run(fixture.samples()).text == fixture.transcript)
        #expect(sent() == 1)
    }

    @Test("that ended while nobody spoke is replaced for the next stream")
    func endedIdle() async throws {
        let (model, process) = try Self.loaded()
        let ended = try process.child.endDescriptor()
        process.child.signal(SIGKILL)
        try await onThread { waitForEnd(ended) }
        #expect(process.end?.hasPrefix("was killed") == true)
        #expect(try model.unknownWords(in: ["seven", "sevenish"]) == ["sevenish"])
        let recognizer = try model.makeRecognizer(RecognizerConfiguration())
        #expect(try recognizer.flush().isEmpty)
    }

    @Test("that is killed while it loads is replaced, and three of them are an error", arguments: [2, 3])
    func killedLoading(count: Int) throws {
        let started = Atomic(0)
        var calls = VoskCalls.library
        calls.modelNew = { path in
            VoskCalls.load(path) { process in
                if started.add(1, ordering: .relaxed).newValue <= count { process.child.signal(SIGKILL) }
            }
        }
        let folder = ModelFolder(path: Fixture.modelPath)
        if count == 3 {
            let error = #expect(throws: SpeechError.self) {
                _ = try VoskModel(folder: folder, endpointing: Endpointing(), calls: calls)
            }
            #expect(error?.description.contains("was killed, perhaps because memory was short") == true)
        } else {
            let model = try VoskModel(folder: folder, endpointing: Endpointing(), calls: calls)
            #expect(try model.unknownWords(in: ["seven", "sevenish"]) == ["sevenish"])
        }
        #expect(started.load(ordering: .relaxed) == 3)
    }

    @Test("ends with its model")
    func end() async throws {
        var held: (VoskModel, VoskProcess)? = try Self.loaded()
        let ended = try #require(held).1.child.endDescriptor()
        held = nil
        try await onThread { waitForEnd(ended) }
    }

    private static func loaded() throws -> (VoskModel, VoskProcess) {
        let process = Mutex<VoskProcess?>(nil)
        var calls = VoskCalls.library
        calls.modelNew = { path in
            let pointer = VoskCalls.library.modelNew(path)
            process.withLock { $0 = pointer.map { VoskCalls.connection($0).process } }
            return pointer
        }
        let model = try VoskModel(
            folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing(), calls: calls)
        return (model, try #require(process.withLock { $0 }))
    }
}
