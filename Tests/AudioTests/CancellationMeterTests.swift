import Foundation
import Testing

@testable import Audio

@Suite("Channels")
struct CancellationMeterTests {
    private static let rate = 8000

    /// Noise that stands for speech.
    private static func noise(seed: UInt32) -> [Float] {
        var state = seed
        return (0..<rate).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return 0.02 * (Float(state >> 8) / 8_388_608 - 1)
        }
    }

    private static let (speech, other) = (noise(seed: 1), noise(seed: 2))

    /// Whether so many seconds of two channels cancel each other; each gets the sample and the number of the second.
    private func isCancelled(_ seconds: Int, _ frame: (_ sample: Int, _ second: Int) -> (Float, Float)) -> Bool {
        var meter = CancellationMeter(sampleRate: Self.rate, channelCount: 2)
        for second in 0..<seconds {
            let samples = (0..<Self.rate).flatMap { sample -> [Float] in
                let (left, right) = frame(sample, second)
                return [left, right]
            }
            // In blocks of any length.
            let half = samples.count / 5 * 2
            meter.add(samples[..<half])
            meter.add(samples[half...])
        }
        return meter.isCancelled
    }

    @Test(
        "cancel each other where one is the other upside down, for all of a short recording, or for three seconds of a long one"
    )
    func stretches() {
        #expect(isCancelled(1) { sample, _ in (Self.speech[sample], -Self.speech[sample]) })
        for (count, expected) in [(2, false), (3, true)] {
            #expect(
                isCancelled(20) { sample, second in
                    (
                        Self.speech[sample],
                        second % 5 == 0 && second / 5 < count ? -Self.speech[sample] : Self.speech[sample]
                    )
                } == expected)
        }
    }

    @Test("cancel each other also where hum is the same on both")
    func hum() {
        #expect(
            isCancelled(5) { sample, _ in
                let hum = 0.005 * sin(2 * .pi * 50 * Float(sample) / Float(Self.rate))
                return (Self.speech[sample] + hum, hum - Self.speech[sample])
            })
    }

    @Test("do not cancel each other where they differ, one is silent or later, or all is quiet")
    func different() {
        let (speech, other) = (Self.speech, Self.other)
        #expect(!isCancelled(9) { sample, _ in (speech[sample], other[sample]) })
        #expect(!isCancelled(9) { sample, _ in (speech[sample], 0) })
        #expect(!isCancelled(9) { sample, second in second % 2 == 0 ? (speech[sample], 0) : (0, speech[sample]) })
        #expect(!isCancelled(9) { sample, _ in (speech[sample], -speech[(sample + 3) % Self.rate]) })
        // Wide music: its middle is 20 dB softer than what differs.
        #expect(
            !isCancelled(9) { sample, _ in (speech[sample] + other[sample] / 10, other[sample] / 10 - speech[sample]) })
        // Noise below all speech, in a pause.
        #expect(
            !isCancelled(9) { sample, second in
                second == 0 ? (speech[sample], speech[sample]) : (speech[sample] / 40, -speech[sample] / 40)
            })
        // Noise of a receiver in pauses, much softer than the speech.
        #expect(
            !isCancelled(9) { sample, second in
                second < 5 ? (10 * speech[sample], 10 * speech[sample]) : (speech[sample] / 4, -speech[sample] / 4)
            })
        #expect(!isCancelled(9) { _, _ in (0, 0) })
    }
}
