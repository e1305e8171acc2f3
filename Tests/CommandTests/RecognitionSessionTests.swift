import Audio
import Foundation
import Speech
import Synchronization
import System
import TestSupport
import Testing

@testable import utter

/// Tests of the recognition that `listen` and `memo` share, with the real recognizer and a capture that is a stream of blocks.
@Suite("A recognition session")
struct RecognitionSessionTests {
    private typealias Capture = AsyncThrowingStream<AudioBlock, any Error>

    /// Records the events of a session as words.
    private final class Events: Sendable {
        private let list = Mutex<[String]>([])
        private let changes = AsyncStream.makeStream(of: Void.self)

        var all: [String] { list.withLock { $0 } }
        /// The texts of the finals that are not empty.
        var finals: [String] { all.filter { $0.hasPrefix("final ") } }

        func note(_ event: RecognitionSession.Event) {
            let word =
                switch event {
                case .ready: "ready"
                case .result(let result) where !result.isFinal: "volatile " + result.text.spoken
                case .result(let result):
                    result.text.characters.isEmpty ? "empty" : "final " + result.text.spoken
                case .failed: "failed"
                case .ended: "ended"
                }
            list.withLock { $0.append(word) }
            changes.continuation.yield()
        }

        /// Waits until the events satisfy a condition.
        func wait(until isSo: (Events) -> Bool) async {
            var changes = changes.stream.makeAsyncIterator()
            while !isSo(self) { await changes.next() }
        }
    }

    /// A session, whose input is a capture that goes on until the test ends it.
    private struct Scene {
        let events = Events()
        let session: RecognitionSession
        let running: Task<Void, Never>
        private let capture: Capture.Continuation
        private let input = LiveInput { _ in }

        init() throws {
            var options = RecognitionOptions()
            options.model = Sandbox.model
            options.secondPass = "none"
            let choice = try RecognitionChoice(options, status: Status(isQuiet: true, isVerbose: false))
            let transcriber = choice.liveTranscriber(
                guesses: true, guessesEarly: true, finalizesFrequently: true, report: { _ in })
            let session = RecognitionSession(choice, transcriber, warn: { _ in })
            self.session = session
            let (blocks, continuation) = Capture.makeStream()
            capture = continuation
            input.append(blocks)
            running = Task { [events, input] in
                await session.run(on: input) { events.note($0) }
            }
        }

        func hear(_ samples: [Int16]) {
            for start in stride(from: 0, to: samples.count, by: 1600) {
                let block = samples[start..<min(start + 1600, samples.count)]
                capture.yield(AudioBlock(samples: Array(block), sampleRate: 16_000))
            }
        }

        func endInput() {
            capture.finish()
            input.finish()
        }
    }

    /// The four weekdays that an utterance of the fixtures has, at 16 kHz.
    private static func weekdays() throws -> [Int16] {
        let reader = try AudioBlockReader(
            WAVReader(source: FileByteSource(path: Sandbox.fixture("weekdays-awb.wav"))), channels: .mix,
            sampleRate: 16_000)
        var samples: [Int16] = []
        while let block = try reader.next()?.first { samples += block.samples }
        return samples
    }

    private static let words = "monday wednesday friday sunday"
    private static let said = "final " + words
    private static let silence = [Int16](repeating: 0, count: 32_000)

    @Test(
        "makes speech final at pauses while the input goes on, and the rest after its end; what came first is not lost")
    func finishing() async throws {
        let scene = try Scene()
        // The model is not loaded yet.
        scene.hear(try Self.weekdays() + Self.silence)
        await scene.events.wait { $0.finals.count == 1 }
        #expect(scene.events.all.contains("ready") && !scene.events.all.contains("ended"))
        // Without a pause after it, this is only final because the input ends.
        scene.hear(try Self.weekdays())
        scene.endInput()
        await scene.running.value
        let events = scene.events.all
        #expect(scene.events.finals == [Self.said, Self.said])
        #expect(events.filter { ["ready", "failed", "stopped", "ended"].contains($0) } == ["ready", "ended"])
        #expect(events.last == "ended")
        let ledger = await scene.session.transcriber.ledger
        #expect(ledger.pending == 0 && ledger.delivered == ledger.transcribed + ledger.silent)
        let count = try 2 * Self.weekdays().count + Self.silence.count
        #expect(ledger.delivered == Int64(count))
    }

    @Test("makes what was heard final when asked, and goes on")
    func finalizing() async throws {
        let scene = try Scene()
        scene.hear(try Self.weekdays())
        await scene.events.wait { $0.all.contains("volatile " + Self.words) }
        await scene.session.finalize()
        // Another task reports the results.
        await scene.events.wait { !$0.finals.isEmpty }
        #expect(scene.events.finals == [Self.said] && !scene.events.all.contains("ended"))
        scene.hear(try Self.weekdays())
        scene.endInput()
        await scene.running.value
        #expect(scene.events.finals == [Self.said, Self.said])
        #expect(scene.events.all.last == "ended" && scene.events.all.count { $0 == "ended" } == 1)
    }

    @Test("ends at once when it is cancelled, and reports that once")
    func cancelling() async throws {
        let scene = try Scene()
        scene.hear(try Self.weekdays())
        await scene.events.wait { $0.all.contains("ready") }
        await scene.session.cancel()
        await scene.running.value
        #expect(scene.events.all.last == "ended" && scene.events.all.count { $0 == "ended" } == 1)
        #expect(!scene.events.all.contains("failed"))
        scene.endInput()
    }
}
