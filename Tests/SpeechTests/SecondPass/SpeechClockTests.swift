import TestSupport
import Testing

@testable import Speech

@Suite("A clock of speech")
struct SpeechClockTests {
    /// Two words, a pause, and a word.
    private let clock = SpeechClock([10..<20, 20..<30, 100..<110])

    @Test("gives a word that both passes have its time in the first")
    func known() {
        #expect(clock.times(of: ["a", "b", "c"], known: [0: 0, 1: 1, 2: 2]) == [10..<20, 20..<30, 100..<110])
    }

    @Test("divides the speech, without its pauses, among other words by their lengths")
    func unknown() {
        #expect(clock.times(of: ["four", "four", "four"], known: [:]) == [10..<20, 20..<30, 100..<110])
        #expect(clock.times(of: ["nine long", "four"], known: [:]) == [10..<30, 100..<110])
        #expect(clock.times(of: ["fourteen lette", "fourteen lette"], known: [:]) == [10..<25, 25..<110])
    }

    @Test("divides only the speech between two words that both passes have")
    func between() {
        #expect(clock.times(of: ["a", "x", "c"], known: [0: 0, 2: 2]) == [10..<20, 20..<30, 100..<110])
        #expect(clock.times(of: ["b", "x"], known: [0: 1]) == [20..<30, 100..<110])
        #expect(clock.times(of: ["x", "c"], known: [1: 2]) == [10..<30, 100..<110])
        #expect(
            clock.times(of: ["c", "x"], known: [0: 2]) == [100..<110, 110..<110], "nothing is said after the last word")
    }

    @Test("gives ascending times without overlaps, within the first pass's words, whatever the words are")
    func random() {
        var random = SplitMix64(for: "speech clocks")
        for _ in 0..<Tier.count(300, long: 10_000) {
            var end: Int64 = 0
            let words = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                let start = end + Int64.random(in: 0...5, using: &random)
                end = start + Int64.random(in: 0...9, using: &random)
                return start..<end
            }
            let others = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                String(repeating: "w", count: Int.random(in: 1...9, using: &random))
            }
            var known: [Int: Int] = [:]
            var word = 0
            for place in others.indices where Bool.random(using: &random) && word < words.count {
                known[place] = word
                word += Int.random(in: 1...3, using: &random)
            }
            let times = SpeechClock(words).times(of: others, known: known)
            #expect(times.count == others.count)
            #expect(
                zip(times, times.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound },
                "\(words) \(others) \(known)")
            #expect(times.allSatisfy { words[0].lowerBound <= $0.lowerBound && $0.upperBound <= end })
            #expect(known.allSatisfy { times[$0] == words[$1] })
        }
    }
}
