import TestSupport
import Testing

@testable import utter

struct ProgressLineTests {
    private let line = ProgressLine(fileName: "talk.wav", done: 75, total: 600, speed: 87.5)

    @Test("All that is known stands in the line when there is room")
    func full() {
        #expect(line.text(width: 80) == "talk.wav  1:15 of 10:00 (12%)  88× real time  0:06 left")
        #expect(
            ProgressLine(fileName: "-", done: 3725.9, total: nil, speed: 1.25).text(width: 80)
                == "-  1:02:05  1.3× real time")
        #expect(ProgressLine(fileName: "a", done: 0, total: 60, speed: nil).text(width: 80) == "a  0:00 of 1:00 (0%)")
    }

    @Test("With less room, what matters less goes first")
    func narrow() {
        #expect(line.text(width: 54) == "talk.wav  1:15 of 10:00 (12%)  0:06 left")
        #expect(line.text(width: 30) == "talk.wav  12%  0:06 left")
        #expect(line.text(width: 15) == "talk.wav  12%")
        #expect(line.text(width: 5) == "12%")
        #expect(line.text(width: 0) == "")
        let long = ProgressLine(fileName: "recording-2024-11-08-kitchen.wav", done: 75, total: 600, speed: 87.5)
        #expect(long.text(width: 70) == "recording-2…kitchen.wav  1:15 of 10:00 (12%)  88× real time  0:06 left")
    }

    @Test("Whatever the name and numbers, the line fits and can't move the cursor")
    func fits() {
        var generator = SplitMix64(for: #function)
        for _ in 0..<3000 {
            let numbers: [Double?] = [nil, 0, 1e-9, 0.5, 59.99, 3600, 1e12, -1, .nan, .infinity]
            let line = ProgressLine(
                fileName: generator.text(maximumLength: 60), done: numbers.randomElement(using: &generator)! ?? 0,
                total: numbers.randomElement(using: &generator)!, speed: numbers.randomElement(using: &generator)!)
            let width = Int.random(in: 0...120, using: &generator)
            let text = line.text(width: width)
            #expect(displayWidth(text) <= width)
            #expect(!text.unicodeScalars.contains(where: TerminalText.isDangerous))
        }
    }

    @Test("100 % is only what is done")
    func percent() {
        #expect(ProgressLine(fileName: "a", done: 599.99, total: 600).text(width: 40).contains("(99%)"))
        #expect(ProgressLine(fileName: "a", done: 600, total: 600).text(width: 40).contains("(100%)"))
        #expect(ProgressLine(fileName: "a", done: 700, total: 600).text(width: 40).contains("10:00 of 10:00 (100%)"))
    }

    @Test("The line appears after half a second, changes ten times a second at most, and comes back after an erasure")
    func drawing() {
        var live = LiveLine(start: 10)
        #expect(live.draw("a", now: 10.4) == nil)
        #expect(live.erase() == "")
        #expect(live.draw("a", now: 10.5) == "\ra\u{1B}[K")
        #expect(live.draw("b", now: 10.55) == nil)
        #expect(live.draw("a", now: 10.7) == nil)
        #expect(live.draw("b", now: 10.7) == "\rb\u{1B}[K")
        #expect(live.erase() == "\r\u{1B}[K")
        #expect(live.erase() == "")
        #expect(live.draw("b", now: 10.75) == nil)
        #expect(live.draw("b", now: 10.85) == "\rb\u{1B}[K")
    }
}
