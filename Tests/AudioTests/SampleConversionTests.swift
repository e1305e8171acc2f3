import TestSupport
import Testing

@testable import Audio

@Suite("A float becomes a 16-bit sample")
struct SampleConversionTests {
    @Test(
        "that is nearest, within limits, whatever the float",
        arguments: [
            (0.4 / 32768, 0), (0.6 / 32768, 1), (-0.6 / 32768, -1), (0.5 / 32768, 0), (1.5 / 32768, 2),
            (-1.5 / 32768, -2), (1, 32767), (-1, -32768), (32766.6 / 32768, 32767), (1.1, 32767), (-1.1, -32768),
            (1e38, 32767), (-1e38, -32768), (.infinity, 32767), (-.infinity, -32768), (.greatestFiniteMagnitude, 32767),
            (.nan, 0), (-.nan, 0), (.signalingNaN, 0), (Float(bitPattern: 0x7FFF_FFFF), 0), (.leastNonzeroMagnitude, 0),
        ] as [(Float, Int16)])
    func nearest(sample: Float, expected: Int16) {
        #expect(Int16(sample: sample) == expected)
    }

    @Test("by rounding and clamping, for a hundred thousand random bit patterns")
    func anyBits() {
        let seed: UInt64 = 16
        print("floats from seed \(seed)")
        var random = SplitMix64(seed: seed)
        for index in 0..<100_000 {
            let sample =
                index % 2 == 0
                ? Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
                : Float.random(in: -1.1...1.1, using: &random)
            let scaled = (sample * 32768).rounded(.toNearestOrEven)
            let expected: Int16 = scaled.isNaN ? 0 : scaled >= 32767 ? 32767 : scaled <= -32768 ? -32768 : Int16(scaled)
            if Int16(sample: sample) != expected { Issue.record("\(sample) became \(Int16(sample: sample))") }
        }
    }
}
