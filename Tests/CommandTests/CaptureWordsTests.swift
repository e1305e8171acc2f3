import Audio
import Testing

@testable import utter

@Suite("What is said of a device")
struct CaptureWordsTests {
    @Test("An error has the first of ALSA's messages, and without a card and a server it is one sentence")
    func errors() {
        let error = CaptureError(
            .noDevice, device: "default", errno: 2, messages: ["cannot find card '0'", "Evaluate error", "Unknown PCM"])
        #expect(
            error.words(machineHasSound: false)
                == "there is no microphone: neither a sound card nor PulseAudio or PipeWire is there; "
                + "connect a microphone, or start the sound server")
        let sentence = "there is no capture device default: connect a microphone, or choose another device"
        #expect(error.words(machineHasSound: true) == sentence + " (ALSA says: cannot find card '0')")
        var other = error
        other.device = "hw:7"
        #expect(other.words(machineHasSound: false).hasPrefix("there is no capture device hw:7: "))
        other.messages = [String(repeating: "a", count: 81)]
        #expect(!other.words(machineHasSound: false).contains("ALSA says"))
        #expect(CommandError(other).message == other.words(machineHasSound: true))
    }

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
