import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("The last word")
struct LastWordTests {
    @Test(
        "is there when the recording is cut right after it",
        arguments: Tier.every(4, of: Fixture.all + Fixture.recordings))
    func cutBehindTheLastSample(_ fixture: Fixture) async throws {
        let samples = try fixture.samples()
        let trimmed = samples.trimmedAtEnd()
        #expect(trimmed.count < samples.count)
        let outcome = try await Options(phrases: fixture.phrases).run(trimmed)
        #expect(outcome.text == fixture.transcript)
        #expect(outcome.ledger.pending == 0)
    }

    /// A short word of a fixture, and the index of its first sample.
    struct ShortWord: Sendable, CustomTestStringConvertible {
        var fixture: String
        var start: Int
        var text: String
        var testDescription: String { "\(text) of \(fixture)" }
    }

    @Test(
        "is there when the input ends in the very call in which libvosk ends an utterance",
        arguments: [
            ShortWord(fixture: "digits-slt", start: 11_520, text: "two"),
            ShortWord(fixture: "digits-awb", start: 28_320, text: "three"),
            ShortWord(fixture: "commands-slt", start: 37_920, text: "stop"),
        ])
    func endsAtAnEndpoint(_ word: ShortWord) async throws {
        let fixture = Fixture.named("digits-slt")
        // libvosk finds the endpoint in the call that ends at 57,600 samples, before it has decoded the last 0.3 s of sound.
        var samples = try Array((fixture.samples() + [Int16](repeating: 0, count: 32_000)).prefix(57_600))
        samples.replaceSubrange(
            52_800..., with: try Fixture.named(word.fixture).samples()[word.start..<word.start + 4800])

        let calls = VoskCalls.library
        let model = try VoskModel(folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing())
        let recognizer = try #require(try model.makeRecognizer(RecognizerConfiguration()) as? VoskRecognizer)
        let handle = try #require(recognizer.giveUpHandle())
        defer { withExtendedLifetime(handle) {} }
        let answers = samples.cut(into: 1600).map { calls.recognizerAccept(handle.pointer, $0, Int32($0.count)) }
        #expect(answers == Array(repeating: 0, count: 35) + [1])
        let ended = calls.recognizerResult(handle.pointer).map { String(cString: $0) } ?? ""
        #expect(ended.contains(fixture.transcript))
        let rest = calls.recognizerFinalResult(handle.pointer).map { String(cString: $0) } ?? ""
        #expect(!rest.contains(word.text), "libvosk keeps the word by itself, and this test shows nothing")

        let outcome = try await Options().run(samples)
        #expect(outcome.text == fixture.transcript + " " + word.text)
        #expect(outcome.ledger.pending == 0)
    }

    @Test("is there when the sound after an endpoint holds another endpoint")
    func endpointInTheFlush() throws {
        // No real model has done this, so the test replaces libvosk's answers.
        let accepts = Mutex(0)
        var calls = VoskCalls.library
        // The first call finds an endpoint; then come two calls of the flush, the first of which finds another.
        calls.recognizerAccept = { _, _, _ in
            accepts.withLock { number in
                number += 1
                return number <= 2 ? 1 : 0
            }
        }
        let first = strdup(#"{"text": "one"}"#), second = strdup(#"{"text": "two"}"#)
        defer { for text in [first, second] { free(text) } }
        let strings = Strings(result: first, finalResult: second)
        calls.recognizerResult = { _ in strings.result.map { UnsafePointer($0) } }
        calls.recognizerFinalResult = { _ in strings.finalResult.map { UnsafePointer($0) } }
        let model = try VoskModel(
            folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing(), calls: calls)
        let recognizer = try model.makeRecognizer(RecognizerConfiguration())
        #expect(try [1, 2].withUnsafeBufferPointer { try recognizer.accept($0) })
        #expect(try recognizer.endUtterance().best.text == "one")
        #expect(try recognizer.flush().best.text == "one two")
        #expect(accepts.withLock { $0 } == 3)
        // The flush has ended; there is nothing more to flush.
        #expect(try recognizer.flush().isEmpty)
        #expect(accepts.withLock { $0 } == 3)
    }

    /// C strings that closures return; they live as long as the test.
    private struct Strings: @unchecked Sendable {
        let result: UnsafeMutablePointer<CChar>?
        let finalResult: UnsafeMutablePointer<CChar>?
    }
}

extension Array where Element == Int16 {
    /// The samples without the windows of 5 ms at the end that stay below 2 % of the peak.
    func trimmedAtEnd() -> [Int16] {
        let peak = Swift.max(1, map { abs(Int($0)) }.max() ?? 1)
        var end = count
        while end > 0, self[Swift.max(0, end - 80)..<end].allSatisfy({ abs(Int($0)) * 50 < peak }) {
            end = Swift.max(0, end - 80)
        }
        return Array(self[..<end])
    }

    func trimmed() -> [Int16] { Array(trimmedAtEnd().reversed()).trimmedAtEnd().reversed() }
}
