import TestSupport
import Testing

@testable import utter

struct ProgressLineTests {
    private let line = ProgressLine(fileName: "talk.wav", done: 75, total: 600, speed: 87.5)

    @Test("The line shows everything if there is room")
    func full() {
        #expect(line.text(width: 80) == "talk.wav  1:15 of 10:00 (12%)  88× real time  0:06 left")
        #expect(
            ProgressLine(fileName: "-", done: 3725.9, total: nil, speed: 1.25).text(width: 80)
                == "-  1:02:05  1.3× real time")
        #expect(ProgressLine(fileName: "a", done: 0, total: 60, speed: nil).text(width: 80) == "a  0:00 of 1:00 (0%)")
    }

    @Test("With less room, less important parts are dropped first")
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

    @Test("For a list the line shows how many are done, and the time left by the durations that are known")
    func list() {
        var list = ListProgress(count: 4)
        #expect(list.text(width: 80) == "0 of 4")
        func line(_ done: Double, of total: Double?) -> ProgressLine {
            ProgressLine(fileName: "a.wav", done: done, total: total)
        }
        list.update(0, line(2, of: 20), now: 10)
        // By the duration that is known there are four of 20 s each.
        #expect(list.text(width: 80) == "a.wav  0 of 4 (2%)")
        list.update(0, line(12, of: 20), now: 11)
        #expect(list.text(width: 80) == "a.wav  0 of 4 (15%), 0:07 left  10× real time")
        // Two run at a time, one without a duration; later that is known, another is skipped, and one can't be opened.
        list.update(1, line(6, of: nil), now: 11.6)
        list.finish(0, now: 11.6)
        #expect(list.text(width: 80) == "a.wav  1 of 4 (37%), 0:03 left  10× real time")
        list.finish(2, now: 11.6)
        list.finish(3, now: 11.6)
        #expect(list.text(width: 80).hasPrefix("a.wav  3 of 4 ("))
        list.finish(1, now: 12)
        #expect(list.text(width: 80).hasPrefix("a.wav  4 of 4 (99%), 0:00 left"))
    }

    @Test("With less room, a list's line keeps the count longest")
    func narrowList() {
        var list = ListProgress(count: 300)
        for index in 0..<111 {
            list.update(
                index, ProgressLine(fileName: "many/recording-\(index).wav", done: 3, total: 3), now: Double(index))
            list.finish(index, now: Double(index))
        }
        #expect(list.text(width: 80) == "many/recording-110.wav  111 of 300 (37%), 3:09 left  3.0× real time")
        #expect(list.text(width: 46) == "many/rec…-110.wav  111 of 300 (37%), 3:09 left")
        #expect(list.text(width: 30) == "111 of 300 (37%), 3:09 left")
        #expect(list.text(width: 25) == "111 of 300, 3:09 left")
        #expect(list.text(width: 12) == "111 of 300")
        #expect(list.text(width: 4) == "111 ")
        for width in 0..<80 { #expect(displayWidth(list.text(width: width)) <= width) }
    }

    @Test("100 % is shown only when all is done")
    func percent() {
        #expect(ProgressLine(fileName: "a", done: 599.99, total: 600).text(width: 40).contains("(99%)"))
        #expect(ProgressLine(fileName: "a", done: 600, total: 600).text(width: 40).contains("(100%)"))
        #expect(ProgressLine(fileName: "a", done: 700, total: 600).text(width: 40).contains("10:00 of 10:00 (100%)"))
    }

    @Test(
        "The line appears after half a second, changes ten times a second at most, and is drawn again after an erasure")
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
