import Testing

@testable import Audio

@Suite("When the reader of a capture is woken")
final class ReaderPaceTests {
    private var pace = ReaderPace(block: 400, sampleRate: 16_000)

    /// Adds periods of 10 ms, and returns after which of them the reader is woken.
    private func wakeUps(in periods: Range<Int>, sample: Int16 = 1000) -> [Int] {
        let samples = [Int16](repeating: sample, count: 160)
        return periods.filter { _ in samples.withUnsafeBufferPointer { pace.add($0) } }
    }

    @Test("At the first sound, then for each block")
    func blocks() { #expect(wakeUps(in: 0..<10) == [0, 3, 6, 9]) }

    @Test("For four times as much after two seconds of quiet, and at once when it ends", arguments: [-104, 0, 104])
    func quiet(sample: Int16) {
        _ = wakeUps(in: 0..<1)
        #expect(wakeUps(in: 0..<200, sample: sample) == Array(stride(from: 2, to: 200, by: 3)))
        #expect(wakeUps(in: 200..<220, sample: sample) == [207, 217])
        #expect(wakeUps(in: 220..<227, sample: sample).isEmpty)
        #expect(wakeUps(in: 227..<234) == [227, 230, 233])
        #expect(wakeUps(in: 234..<240, sample: sample) == [236, 239])
    }

    @Test("For sound that is a little louder than quiet as for any other", arguments: [-105, 105, .min])
    func soft(sample: Int16) { #expect(wakeUps(in: 0..<300, sample: sample).count == 100) }

    @Test("For what it has not taken, once, when the device gives no more sound")
    func stall() {
        #expect(pace.stall() == false)
        #expect(wakeUps(in: 0..<2) == [0])
        #expect(pace.stall() == true)
        #expect(pace.stall() == false)
    }
}
