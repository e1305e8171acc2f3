import Foundation
import Synchronization
import TestSupport
import Testing

@testable import utter

@Suite("A saver of sound")
struct AudioSaverTests {
    private let sandbox = Sandbox()

    private func saver(_ name: String) -> AudioSaver {
        AudioSaver(path: sandbox.file(name), sampleRate: 16_000, preparing: {}, failed: { Issue.record("\($0)") })
    }

    private func samples(_ name: String) -> [Int16] { Sound.samples(ofFile: sandbox.file(name)) }

    @Test("continues in another file, whether it exists or not, with what was heard before and the gaps after it")
    func joining() {
        let first = saver("first.wav")
        first.write([1, 2, 3], at: 0)
        first.finish()
        let second = saver("second.wav")
        second.write([4, 5], at: 0)
        second.join(sandbox.file("first.wav"))
        second.write([6], at: 3)
        second.finish()
        #expect(samples("first.wav") == [1, 2, 3, 4, 5, 0, 6])

        let third = saver("third.wav")
        third.write([7], at: 0)
        third.join(sandbox.file("other.wav"))
        third.write([8], at: 1)
        third.finish()
        #expect(samples("other.wav") == [7, 8])

        // The other file is joined before the first sound.
        let fourth = saver("fourth.wav")
        fourth.join(sandbox.file("first.wav"))
        fourth.write([9], at: 1)
        fourth.finish()
        #expect(samples("first.wav") == [1, 2, 3, 4, 5, 0, 6, 0, 9])
        let fifth = saver("fifth.wav")
        fifth.join(sandbox.file("last.wav"))
        #expect(sandbox.names().filter { $0.hasSuffix(".wav") } == ["first.wav", "other.wav"])
        fifth.write([10], at: 0)
        fifth.discard()
        fifth.write([11], at: 1)
        #expect(sandbox.names().filter { $0.hasSuffix(".wav") } == ["first.wav", "other.wav"])
    }

    @Test("leaves a file alone that no saver made, reports it once, and keeps its own file")
    func foreign() {
        sandbox.put("mine", in: "first.wav")
        let failures = Failures()
        let saver = AudioSaver(
            path: sandbox.file("second.wav"), sampleRate: 16_000, preparing: {}, failed: { _ in failures.add() })
        saver.write([1], at: 0)
        saver.join(sandbox.file("first.wav"))
        saver.write([2], at: 1)
        saver.finish()
        #expect(failures.count == 1 && saver.failure != nil)
        #expect(
            sandbox.text(of: "first.wav") == "mine"
                && FileManager.default.fileExists(atPath: sandbox.file("second.wav")))
    }

    private final class Failures: Sendable {
        private let number = Mutex(0)
        func add() { number.withLock { $0 += 1 } }
        var count: Int { number.withLock { $0 } }
    }
}
