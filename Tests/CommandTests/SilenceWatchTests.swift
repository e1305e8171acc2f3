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

    /// What is heard, and when nobody has spoken for two seconds.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var finalsEndWithSpeech = false
        var heard: [(text: String, isFinal: Bool, time: Double)]
        var end: Double
    }

    static let cases = [
        Case(testDescription: "nobody speaks", heard: [], end: 2),
        Case(
            testDescription: "a changed guess is speech; an unchanged one, its final text and an empty guess are not",
            heard: [
                ("one", false, 1), ("one two", false, 2.9), ("one two", false, 4), ("one two", true, 4), ("", false, 4),
            ], end: 4.9),
        Case(
            testDescription: "a final text that nothing has guessed at is speech", heard: [("one", true, 1)], end: 3),
        Case(
            testDescription: "after a final text the same words are speech again",
            heard: [("one", false, 1), ("one", true, 1.5), ("one", false, 1.9)], end: 3.9),
        Case(
            testDescription: "a final text that ends with its speech is speech, whatever was guessed before",
            finalsEndWithSpeech: true, heard: [("one", false, 1), ("one two three", true, 2.5)], end: 4.5),
    ]

    @Test("It ends once, when nobody has spoken for the limit", arguments: cases)
    func speaking(_ given: Case) {
        let (silence, ends) = watch(2, finalsEndWithSpeech: given.finalsEndWithSpeech)
        for (text, isFinal, time) in given.heard {
            silence.heard(through: time)
            silence.heard(text, isFinal: isFinal, through: time)
        }
        silence.heard(through: given.end - 0.01)
        #expect(ends.count == 0)
        for time in [given.end, given.end + 1] { silence.heard(through: time) }
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
