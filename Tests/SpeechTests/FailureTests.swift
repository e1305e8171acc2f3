import Foundation
import Synchronization
import Testing

@testable import Models
@testable import Speech

@Suite("A failure")
struct FailureTests {
    private struct Boom: Error, Equatable {}

    private struct FailingInput: AsyncSequence, Sendable {
        let blocks: [[Int16]]

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ArraySlice<[Int16]>
            mutating func next() async throws -> AnalyzerInput? {
                guard let block = rest.popFirst() else { throw Boom() }
                return AnalyzerInput(samples: block, sampleRate: 16_000)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: blocks[...]) }
    }

    @Test("of the input: the results and the finish throw the same error, after the text so far")
    func input() async throws {
        let fixture = Fixture.named("digits-awb")
        let (transcriber, analyzer) = Options().session()
        try await analyzer.start(inputSequence: FailingInput(blocks: fixture.samples().cut(into: 3200)))
        await #expect(throws: Boom.self) { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        let (results, error) = await transcriber.results.allAndError()
        #expect(error is Boom)
        let outcome = Outcome(results: results, ledger: await transcriber.ledger)
        #expect(outcome.text == fixture.transcript)
        #expect(outcome.ledger.pending == 0)
    }

    @Test("of the input: the results of a session that nobody finishes end with it")
    func unfinished() async throws {
        let (transcriber, analyzer) = Options().session()
        try await analyzer.start(inputSequence: FailingInput(blocks: [[1, 2, 3]]))
        let (_, error) = await transcriber.results.allAndError()
        #expect(error is Boom)
        #expect(await code { try await analyzer.start(inputSequence: Inputs([[1]])) } == .finished)
    }

    @Test("of opening a file: the results and the finish throw it", arguments: [false, true])
    func file(finishAfterFile: Bool) async throws {
        let (transcriber, analyzer) = Options().session()
        try await analyzer.start(
            inputAudioFile: AudioFile(path: "/nowhere/memo.wav"), finishAfterFile: finishAfterFile)
        await #expect(throws: (any Error).self) { try await transcriber.allResults() }
        let error = await #expect(throws: (any Error).self) { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        #expect("\(try #require(error))".contains("/nowhere/memo.wav"))
    }

    @Test("to load a model: the results and the finish throw an error that names its folder")
    func load() async throws {
        var calls = VoskCalls.library
        calls.modelNew = { _ in nil }
        let (transcriber, analyzer) = Options(calls: calls).session()
        try await analyzer.start(inputSequence: Inputs([[1, 2, 3]]))
        let thrown = await #expect(throws: SpeechError.self) { try await analyzer.finalizeAndFinishThroughEndOfInput() }
        let error = try #require(thrown)
        #expect(error.code == .modelLoadFailed)
        #expect(error.description.contains(Fixture.modelPath))
        await #expect(throws: error) { _ = try await transcriber.allResults() }
    }

    @Test("to make a recognizer: the error says that the model can't be used")
    func recognizer() async throws {
        let natives = Natives()
        var calls = VoskCalls.library
        calls.recognizerNew = { _, _, _ in nil }
        let (transcriber, analyzer) = Options(calls: natives.counting(calls)).session()
        #expect(await code { try await analyzer.prepareToAnalyze() } == .modelLoadFailed)
        #expect(await code { try await analyzer.analyzeSequence(Inputs([[1]])) } == .modelLoadFailed)
        #expect(await analyzer.finishCode() == .modelLoadFailed)
        #expect(await code { try await transcriber.allResults() } == .modelLoadFailed)
        await natives.empty()
    }

    /// The ways in which libvosk fails in the middle of the memo.
    enum Failure: CaseIterable {
        case accept, nullResult, unreadableResult, otherResult, nullGuess
    }

    /// The memo without a failure.
    private static let whole = Task { try await Options().run(Fixture.named("memo").samples()) }

    @Test(
        "of the engine in mid-stream: final results stay, the guess becomes final, and the results throw at once",
        arguments: Failure.allCases)
    func midStream(_ failure: Failure) async throws {
        let fixture = Fixture.named("memo")
        let whole = try await Self.whole.value
        let natives = Natives()
        let accepts = Mutex(0)
        let unreadable = CString("{\"text\": \"one"), other = CString("[]")
        var calls = VoskCalls.library
        // The third utterance begins at about 11 s, the block of 100 ms number 110.
        try #require(whole.utterances.count > 2 && whole.utterances[2].words.count > 1)
        let third = Int(whole.utterances[2].words[1].range.upperBound.seconds * 10) + 4
        calls.recognizerAccept = { recognizer, samples, count in
            let number = accepts.withLock { number in
                number += 1
                return number
            }
            return failure == .accept && number >= third
                ? -1 : VoskCalls.library.recognizerAccept(recognizer, samples, count)
        }
        calls.recognizerPartialResult = { recognizer in
            failure == .nullGuess && accepts.withLock({ $0 }) >= third
                ? nil : VoskCalls.library.recognizerPartialResult(recognizer)
        }
        calls.recognizerResult = { recognizer in
            guard accepts.withLock({ $0 }) >= third else { return VoskCalls.library.recognizerResult(recognizer) }
            switch failure {
            case .nullResult: return nil
            case .unreadableResult: return unreadable.pointer
            case .otherResult: return other.pointer
            default: return VoskCalls.library.recognizerResult(recognizer)
            }
        }
        let options = Options(calls: natives.counting(calls), reportsVolatile: true)
        let (transcriber, analyzer) = options.session()
        let feed = Feed()
        feed.give(try fixture.samples())
        try await analyzer.start(inputSequence: feed.sequence)
        var results: [SpeechTranscriber.Result] = []
        // The results throw although there was no finish and the input has not ended.
        let error = await #expect(throws: SpeechError.self) {
            for try await result in transcriber.results { results.append(result) }
        }
        #expect(error?.code == .moduleOutputFailed)
        let outcome = Outcome(results: results)
        try #require(outcome.utterances.count == 3)
        #expect(outcome.utterances.prefix(2).map(\.text) == whole.utterances.prefix(2).map(\.text))
        // The third utterance becomes final with its last guess, or with a later one that was not delivered.
        let kept = try #require(results.last)
        #expect(kept.isFinal)
        #expect(!kept.text.characters.isEmpty)
        #expect(kept.range.lowerBound == outcome.utterances[1].range.upperBound)
        if let guess = results.last(where: { !$0.isFinal }), guess.range.lowerBound == kept.range.lowerBound {
            #expect(kept.range.upperBound >= guess.range.upperBound)
        }
        #expect(await analyzer.finishCode() == .moduleOutputFailed)
        await natives.empty()
        // The error is thrown once.
        #expect(try await transcriber.allResults().isEmpty)
    }

    @Test("ends the use of the recognizer")
    func notReused() async throws {
        let natives = Natives()
        let fails = Atomic(true)
        var calls = VoskCalls.library
        calls.recognizerAccept = { recognizer, samples, count in
            fails.load(ordering: .relaxed) ? -1 : VoskCalls.library.recognizerAccept(recognizer, samples, count)
        }
        let cache = ModelCache(calls: natives.counting(calls))
        let keeper = try await cache.engine(
            ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        let fixture = Fixture.named("digits-awb")
        await #expect(throws: SpeechError.self) { _ = try await Options().run(fixture.samples(), cache: cache) }
        #expect(natives.counts.recognizers == 0)
        fails.store(false, ordering: .relaxed)
        #expect(try await Options().run(fixture.samples(), cache: cache).text == fixture.transcript)
        withExtendedLifetime(keeper) {}
    }
}

/// A C string with the lifetime of its owner.
final class CString: @unchecked Sendable {
    // Never changed.
    private let start: UnsafeMutablePointer<CChar>
    var pointer: UnsafePointer<CChar> { UnsafePointer(start) }

    init(_ text: String) { start = strdup(text) }
    deinit { free(start) }
}
