import Audio
import Testing

@testable import utter

@Suite("What is said of a device")
struct CaptureWordsTests {
    @Test("A range without a bound says so, and shows no number that no device has")
    func ranges() {
        for (rates, channels, words) in [
            (1...4_294_967_295, 1...1_073_741_823, "any rate, any channels, signed16"),
            (4000...4_294_967_295, 1...10_000, "from 4000 Hz, any channels, signed16"),
            (8000...48_000, 2...2, "8000–48000 Hz, 2 ch, signed16"),
            (1...384_000, 1...32, "1–384000 Hz, 1–32 ch, signed16"),
        ] as [(ClosedRange<Int>, ClosedRange<Int>, String)] {
            #expect(
                DevicesCommand.words(.init(sampleRates: rates, channelCounts: channels, encodings: [.signed16]))
                    == words)
        }
    }
}
