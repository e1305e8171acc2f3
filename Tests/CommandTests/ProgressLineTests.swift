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

    private func progress(_ done: Double, of total: Double? = nil, in name: String = "a.wav") -> ProgressLine {
        ProgressLine(fileName: name, done: done, total: total)
    }

    @Test("For a list the line shows how many are done, and the time left at the speed so far")
    func list() {
        var list = ListProgress([InputSize(seconds: 100), InputSize(seconds: 60), InputSize(seconds: 40)])
        #expect(list.text(width: 80) == "0 of 3 (0%)")
        list.update(0, progress(0, of: 100), now: 10)
        list.update(0, progress(20, of: 100), now: 11)
        // So little says nothing about the speed.
        #expect(list.text(width: 80) == "a.wav  0 of 3 (10%)")
        list.update(0, progress(40, of: 100), now: 14)
        #expect(list.text(width: 80) == "a.wav  0 of 3 (20%), 0:16 left  10× real time")
        list.update(0, progress(100, of: 100), now: 19)
        list.finish(0, now: 20)
        #expect(list.text(width: 80) == "a.wav  1 of 3 (50%), 0:10 left  10× real time")
        // One that can't be opened is no longer left.
        list.finish(2, isWhole: false, now: 20)
        #expect(list.text(width: 80) == "a.wav  2 of 3 (62%), 0:06 left  10× real time")
        list.update(1, progress(60, of: 60), now: 26)
        list.finish(1, now: 26)
        #expect(list.text(width: 80) == "a.wav  3 of 3 (99%), 0:00 left  10× real time")
    }

    @Test(
        "In a mixed folder the time left does not leap: durations that are unknown are estimated by the sizes of the files"
    )
    func mixedList() {
        // A short recording comes first, and long ones of an unknown duration follow, each of which is 600 s.
        var list = ListProgress(
            [InputSize(bytes: 960_000, seconds: 30, kind: "wav")]
                + (0..<3).map { _ in InputSize(bytes: 4_800_000, kind: "mp3") } + [
                    InputSize(bytes: 1_500_000, kind: "ogg")
                ])
        list.update(0, progress(0, of: 30), now: 0)
        list.update(0, progress(30, of: 30), now: 6)
        list.finish(0, now: 6)
        // By size these are 480 s each, and 150 s.
        #expect(list.text(width: 80) == "a.wav  1 of 5 (1%), 5:18 left  5.0× real time")
        list.update(1, progress(10, in: "b.mp3"), now: 8)
        // A file that breaks off says nothing about the others.
        list.finish(1, isWhole: false, now: 8)
        // One of which more is done than its size has promised says that the others are longer, too.
        list.update(2, progress(590, in: "c.mp3"), now: 126)
        #expect(list.text(width: 80) == "c.mp3  2 of 5 (45%), 2:28 left  5.0× real time")
        list.update(2, progress(600, in: "c.mp3"), now: 128)
        list.finish(2, now: 128)
        // Now it is known how long such a file is.
        #expect(list.text(width: 80) == "c.mp3  3 of 5 (46%), 2:30 left  5.0× real time")
    }

    @Test("As long as the duration of a file can't be estimated, a list's line does not say how much is left")
    func pipeInList() {
        var list = ListProgress([InputSize(seconds: 60), InputSize()])
        list.update(0, progress(0, of: 60), now: 1)
        list.update(0, progress(40, of: 60), now: 5)
        #expect(list.text(width: 80) == "a.wav  0 of 2  10× real time")
        list.finish(1, now: 5)
        #expect(list.text(width: 80) == "a.wav  1 of 2 (66%), 0:02 left  10× real time")
    }

    @Test("With less room, a list's line keeps the count longest")
    func narrowList() {
        var list = ListProgress([InputSize](repeating: InputSize(seconds: 3), count: 300))
        for index in 0..<111 {
            list.update(index, progress(0, of: 3, in: "many/recording-\(index).wav"), now: Double(index))
            list.update(index, progress(3, of: 3, in: "many/recording-\(index).wav"), now: Double(index + 1))
            list.finish(index, now: Double(index + 1))
        }
        #expect(list.text(width: 80) == "many/recording-110.wav  111 of 300 (37%), 3:09 left  3.0× real time")
        #expect(list.text(width: 46) == "many/rec…-110.wav  111 of 300 (37%), 3:09 left")
        #expect(list.text(width: 30) == "111 of 300 (37%), 3:09 left")
        #expect(list.text(width: 25) == "111 of 300, 3:09 left")
        #expect(list.text(width: 12) == "111 of 300")
        #expect(list.text(width: 4) == "111 ")
        for width in 0..<80 { #expect(displayWidth(list.text(width: width)) <= width) }
    }

    @Test("Sound is done when it is decided in each channel, or long after it has been read")
    func advance() {
        let advance = TranscriptionAdvance(channelCount: 2)
        advance.read(through: 60)
        #expect(advance.done == 0)
        advance.decided(channel: 0, through: 50)
        advance.decided(channel: 1, through: 30)
        #expect(advance.done == 30)
        advance.read(through: 200)
        #expect(advance.done == 110)
        advance.decided(channel: 0, through: 150)
        advance.decided(channel: 1, through: 400)
        #expect(advance.done == 150)
        advance.finish()
        #expect(advance.done == 200)
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
        var live = LiveLine(patience: 0.5)
        #expect(live.draw("a", now: 0.4) == nil)
        #expect(live.erase() == "")
        #expect(live.draw("a", now: 0.5) == "\ra\u{1B}[K")
        #expect(live.draw("b", now: 0.55) == nil)
        #expect(live.draw("a", now: 0.7) == nil)
        #expect(live.draw("b", now: 0.7) == "\rb\u{1B}[K")
        #expect(live.erase() == "\r\u{1B}[K")
        #expect(live.erase() == "")
        #expect(live.draw("b", now: 0.75) == nil)
        #expect(live.draw("b", now: 0.85) == "\rb\u{1B}[K")
        #expect(live.erase(until: 1.5) == "\r\u{1B}[K")
        #expect(live.draw("b", now: 1.4, atOnce: true) == nil)
        #expect(live.erase(until: 1.2) == "" && live.draw("b", now: 1.45) == nil)
        #expect(live.draw("b", now: 1.5) == "\rb\u{1B}[K")
    }
}
