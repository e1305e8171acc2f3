import Speech
import Synchronization
import Testing

@testable import utter

struct SilenceWatchTests {
    private final class Ends: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func note() { number.withLock { $0 += 1 } }
    }

    private func watch(_ longest: Double?, finalsEndWithSpeech: Bool = false) -> (SilenceWatch, Ends) {
        let ends = Ends()
        return (
            SilenceWatch(longest: longest, finalsEndWithSpeech: finalsEndWithSpeech) { ends.note() }, ends
        )
    }

    @Test("It ends once when nobody has spoken for the limit")
    func nobody() {
        let (silence, ends) = watch(2)
        for time in [0.1, 1, 1.9] { silence.heard(through: time) }
        #expect(ends.count == 0)
        silence.heard(through: 2)
        silence.heard(through: 3)
        #expect(ends.count == 1)
    }

    @Test("Speech postpones the end; an unchanged guess, a final text and an empty guess do not")
    func speaking() {
        let (silence, ends) = watch(2)
        silence.heard("one", isFinal: false, through: 1)
        silence.heard(through: 2.9)
        silence.heard("one two", isFinal: false, through: 2.9)
        silence.heard(through: 4.8)
        #expect(ends.count == 0)
        silence.heard("one two", isFinal: false, through: 4)
        silence.heard("one two", isFinal: true, through: 4)
        silence.heard("", isFinal: false, through: 4)
        silence.heard(through: 4.89)
        #expect(ends.count == 0)
        silence.heard(through: 4.9)
        #expect(ends.count == 1)
    }

    @Test("A final text that nothing has guessed at postpones the end")
    func withoutGuesses() {
        let (silence, ends) = watch(2)
        silence.heard("one", isFinal: true, through: 1)
        silence.heard(through: 2.9)
        #expect(ends.count == 0)
        silence.heard(through: 3)
        #expect(ends.count == 1)
    }

    @Test("After a final text the same words are speech again")
    func again() {
        let (silence, ends) = watch(1)
        silence.heard("one", isFinal: false, through: 1)
        silence.heard("one", isFinal: true, through: 1.5)
        silence.heard("one", isFinal: false, through: 1.9)
        silence.heard(through: 2.8)
        #expect(ends.count == 0)
        silence.heard(through: 3)
        #expect(ends.count == 1)
    }

    @Test("A final text that ends with its speech postpones the end, whatever was guessed before")
    func decidedLater() {
        let (silence, ends) = watch(2, finalsEndWithSpeech: true)
        silence.heard("one", isFinal: false, through: 1)
        silence.heard("one two three", isFinal: true, through: 2.5)
        silence.heard(through: 4.4)
        #expect(ends.count == 0)
        silence.heard(through: 4.5)
        #expect(ends.count == 1)
    }

    @Test("Speech that is not decided yet is no silence; where nobody speaks no second is missing")
    func undecided() {
        let (silence, ends) = watch(3)
        func hear(_ start: Double, _ end: Double, isMoving: Bool) {
            let range = AudioTimeRange(start: AudioTime(seconds: start), end: AudioTime(seconds: end))
            silence.heard(through: SilenceWatch.knownTime(undecided: range, isMoving: isMoving))
        }
        // Nobody speaks for 2.4 s.
        for tenth in 1...24 { hear(max(0, Double(tenth) / 10 - 1), Double(tenth) / 10, isMoving: tenth > 10) }
        // Somebody does from 2.3 s on; it is decided late.
        hear(2, 2.5, isMoving: true)
        for tenth in 26...90 { hear(2, Double(tenth) / 10, isMoving: false) }
        #expect(ends.count == 0)
        silence.heard("what was said", isFinal: true, through: 6)
        hear(7.9, 8.9, isMoving: true)
        #expect(ends.count == 0)
        hear(8, 9, isMoving: true)
        #expect(ends.count == 1)
    }

    @Test("Without a limit it never ends")
    func endless() {
        let (silence, ends) = watch(nil)
        silence.heard(through: 1e9)
        #expect(ends.count == 0)
    }
}
