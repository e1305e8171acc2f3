import Foundation
import Glibc
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A short window, with the real library and model,", .enabled(if: SecondPassRig.isThere), .serialized)
struct ShortWindowTests {
    private func model() throws -> TranscribeModel {
        var setup = try #require(SecondPassRig.setup)
        // The confidence is another with another number of threads, which would depend on what else runs.
        setup.threads = 1
        return try TranscribeModel(setup, calls: CountedRuns.calls(folder: setup.library))
    }

    @Test(
        "has the guesses at short sounds, with the same words; longer sounds and all that is final have the whole window"
    )
    func guesses() throws {
        let model = try model()
        let sound = try SpokenSentence.samples(sampleRate: 16_000)
        let text = try model.decode(sound)
        #expect(!text.isRough && !text.text.isEmpty)
        #expect(try model.guess(sound) == text, "there is no short window yet")
        model.prepareGuesses()
        let guess = try model.guess(sound)
        #expect(guess.isRough && Self.words(guess) == Self.words(text), "\(guess.text)")
        #expect(try !model.guess(sound + [Int16](repeating: 0, count: 10 * 16_000)).isRough)
        #expect(try model.decode(sound) == text)
    }

    @Test("decodes a guess once, also one that the model is unsure of: a second run would share its limit of time")
    func unsureGuess() throws {
        let model = try model()
        model.prepareGuesses()
        let unclear = Array(try SpokenSentence.samples(sampleRate: 16_000).reversed())
        CountedRuns.count = 0
        let guess = try model.guess(unclear)
        #expect(guess.isRough && !guess.isSure, "\(guess)")
        #expect(CountedRuns.count == 1)
        _ = try model.decode(unclear)
        #expect(CountedRuns.count == 3)
    }

    @Test("needs a file that says how long the window is")
    func refused() throws {
        var setup = try #require(SecondPassRig.setup)
        let calls = try TranscribeCalls(folder: setup.library)
        #expect(ShortWindow(setup, calls: calls, interruption: Interruption()) != nil)
        let folder = TemporaryFolder()
        setup.model = folder.file("window")
        #expect(ShortWindow(setup, calls: calls, interruption: Interruption()) == nil, "there is no such file")
        folder.put("GGUF, which says nothing of windows", in: "window")
        #expect(ShortWindow(setup, calls: calls, interruption: Interruption()) == nil)
    }

    @Test(
        "A guess that takes too long ends as if it repeated itself, a cancelled one as cancelled, and the next one is whole"
    )
    func interrupted() throws {
        let setup = try #require(SecondPassRig.setup)
        let interruption = Interruption()
        let model = try TranscribeModel(
            setup, calls: TranscribeCalls(folder: setup.library), interruption: interruption)
        let sound = try SpokenSentence.samples(sampleRate: 16_000)
        func kind() -> WorkerFailure.Kind? {
            do throws(WorkerFailure) {
                _ = try model.decode(sound)
                return nil
            } catch { return error.kind }
        }
        interruption.setLimit(.zero)
        #expect(kind() == .repetition)
        model.setCancelled(true)
        #expect(kind() == .cancelled)
        model.setCancelled(false)
        interruption.setLimit(nil)
        #expect(kind() == nil)
    }

    private static func words(_ text: DecodedText) -> [String] {
        text.text.split(separator: " ").map { WordAlignment.normalized($0) }
    }
}

/// The library, which counts its runs.
private enum CountedRuns {
    nonisolated(unsafe) private static var real: TranscribeCalls!
    nonisolated(unsafe) static var count = 0

    static func calls(folder: String) throws -> TranscribeCalls {
        real = try TranscribeCalls(folder: folder)
        var calls = real!
        calls.run = { session, samples, length, run in
            CountedRuns.count += 1
            return CountedRuns.real.run(session, samples, length, run)
        }
        return calls
    }
}
