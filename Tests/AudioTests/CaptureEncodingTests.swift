import CALSA
import Foundation
import TestSupport
import Testing

@testable import Audio

@Suite("A device's format")
struct CaptureEncodingTests {
    /// Random bytes as a device may give them: every pattern, not-a-numbers and infinities among the floats.
    static func bytes(_ encoding: CaptureEncoding, sampleCount: Int, using random: inout SplitMix64) -> [UInt8] {
        guard encoding == .float32 else {
            return (0..<sampleCount * encoding.byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let wild: [Float] = [
            .nan, .infinity, -.infinity, -.nan, .greatestFiniteMagnitude, 0, -0.0, 1, -1, 1.5, .leastNonzeroMagnitude,
        ]
        return (0..<sampleCount).flatMap { _ -> [UInt8] in
            let value =
                Int.random(in: 0..<50, using: &random) == 0
                ? wild.randomElement(using: &random)! : Float.random(in: -1...1, using: &random)
            return withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
        }
    }

    /// What such bytes mean, by arithmetic that is not the tap's.
    static func samples(_ bytes: [UInt8], _ encoding: CaptureEncoding) -> [Float] {
        stride(from: 0, to: bytes.count, by: encoding.byteCount).map { start in
            let word = (0..<encoding.byteCount).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) }
            switch encoding {
            case .signed16: return Float(Double(Int16(truncatingIfNeeded: word)) / 32_768)
            case .signed32: return Float(Int32(bitPattern: word)) / 2_147_483_648
            case .signed24, .signed24In32:
                let value = Int(word & 0xFF_FFFF)
                return Float(Double(value >= 1 << 23 ? value - 1 << 24 : value) / 8_388_608)
            case .float32:
                let value = Float(bitPattern: word)
                return value.isNaN ? 0 : value.isInfinite ? (value < 0 ? -1 : 1) : value
            }
        }
    }

    @Test(
        "Whatever it is, the samples are those that the converter makes of the same frames",
        arguments: CaptureEncoding.allCases, Tier.every(2, of: [8_000, 16_000, 44_100, 48_000, 96_000, 192_000]))
    func everyFormat(encoding: CaptureEncoding, rate: Int) async throws {
        var random = SplitMix64(for: "format \(encoding) \(rate)")
        for channelCount in Tier.every(3, of: Array(1...8)) {
            let frameCount = Int.random(in: 1...rate / 20, using: &random)
            let bytes = Self.bytes(encoding, sampleCount: frameCount * channelCount, using: &random)
            let channels: ChannelSelection =
                Bool.random(using: &random) ? .mix : .channel(.random(in: 0..<channelCount, using: &random))
            let device = FakeDevice { plan in
                plan.encoding = encoding
                plan.sampleRate = rate
                plan.trueRate = Double(rate)
                plan.channelCount = channelCount
                // Not so short that reading it looks like spinning.
                plan.periodLength = Int.random(in: 4...rate / 100, using: &random)
                plan.bufferLength = rate
                plan.frameCount = frameCount
                plan.bytes = bytes
            }
            let tap = device.tap(
                CaptureConfiguration(device: "fake", channels: channels, blockDuration: 0, bufferDuration: 1))
            try await tap.start()
            #expect(
                tap.deviceFormat
                    == AudioFormat(sampleRate: rate, channelCount: channelCount, encoding: encoding.audioEncoding))
            await device.settled()
            await tap.stop()
            let capture = await Capture.reading(tap)
            capture.expectLedger()
            let expected = try convert(
                Self.samples(bytes, encoding), from: rate, channelCount: channelCount, channels: channels)
            expectSame(capture.samples, expected, "\(channelCount) channels, seed \(random.seed)")
            #expect(capture.statistics.framesCaptured == Int64(frameCount))
        }
    }

    @Test("What can't be converted, or is not there, is refused in a sentence, and the device closed")
    func unusable() async throws {
        for (plan, channels, words) in [
            (FakeDevicePlan { $0.sampleRate = 500 }, ChannelSelection.mix, "500"),
            (FakeDevicePlan { $0.sampleRate = 4_000_000 }, .mix, "4000000"),
            (FakeDevicePlan { $0.channelCount = 65 }, .mix, "65"),
            (FakeDevicePlan { $0.channelCount = 2 }, .channel(2), "no channel 2"),
        ] {
            let device = FakeDevice(plan)
            let tap = device.tap(CaptureConfiguration(device: "fake", channels: channels))
            let error = try #require(await tap.refusal())
            #expect(error.code == .unsupportedFormat)
            #expect(
                "\(error)".hasPrefix(
                    "the capture device fake has no format, rate or channel that will do: choose another device"))
            #expect("\(error)".contains(words))
            #expect(device.figures.closes == 1)
            #expect(device.figures.calls[.start] == nil)
        }
    }

    @Test(
        "The bytes of a real device are heard as they are, at any rate and channel count",
        arguments: [8_000, 16_000, 44_100, 48_000, 192_000])
    func realDevice(rate: Int) async throws {
        var random = SplitMix64(for: "file device \(rate)")
        for channelCount in [1, 2, 3, 8] {
            let frameCount = rate / 10
            let samples = (0..<frameCount * channelCount).map { _ in Int16.random(in: .min ... .max, using: &random) }
            let file = try FilePCM(samples, silence: rate / 4 * channelCount)
            let tap = CaptureTap(
                CaptureConfiguration(
                    device: file.deviceName, deviceSampleRate: rate, deviceChannelCount: channelCount,
                    sampleLimit: 2_000))
            try await tap.start()
            #expect(tap.deviceFormat == AudioFormat(sampleRate: rate, channelCount: channelCount))
            let capture = await Capture.reading(tap)
            await tap.stop()
            capture.expectLedger()
            #expect(capture.error == nil)
            let frames = samples.map { Float($0) / 32_768 } + [Float](repeating: 0, count: rate / 4 * channelCount)
            expectSame(
                capture.samples, Array(try convert(frames, from: rate, channelCount: channelCount).prefix(2_000)),
                "seed \(random.seed)")
        }
    }

    @Test("ALSA's null device gives silence, and no clock rate is measured")
    func null() async throws {
        let tap = CaptureTap(CaptureConfiguration(device: "null", sampleLimit: 16_000 * Tier.amount(15, long: 60)))
        try await tap.start()
        let capture = await Capture.reading(tap)
        await tap.stop()
        capture.expectLedger()
        #expect(capture.samples.count + Int(capture.statistics.samplesDropped) == 16_000 * Tier.amount(15, long: 60))
        #expect(!capture.samples.isEmpty && capture.samples.allSatisfy { $0 == 0 })
        #expect(capture.statistics.level == CaptureStatistics.Level(peak: 0, rms: 0))
        #expect(capture.statistics.measuredSampleRate == nil)
    }

    @Test(
        "A device says another rate than it has: after ten seconds that is known",
        arguments: Tier.every(2, of: [44_100.0, 47_000, 48_000, 48_900, 96_000, 24_000]))
    func liar(trueRate: Double) async throws {
        let device = FakeDevice { plan in
            plan.sampleRate = 48_000
            plan.trueRate = trueRate
            plan.periodLength = 480
            plan.bufferLength = 48_000
            plan.frameCount = Int(trueRate * 12)
        }
        let capture = try await Capture.whole(of: device)
        let measured = try #require(capture.statistics.measuredSampleRate)
        #expect(abs(measured - trueRate) < trueRate * 0.002)
        #expect(
            capture.statistics.contradicts(declaredSampleRate: 48_000) == [44_100, 96_000, 24_000].contains(trueRate))
    }

    @Test(
        "Neither a pause, nor sound that comes late, nor a loss is taken for a lie",
        arguments: [FakeDevicePlan.Mishap.Kind.pause, .delay, .standstill, .suspension])
    func honestDevice(kind: FakeDevicePlan.Mishap.Kind) async throws {
        for (time, duration) in Tier.every(2, of: [(0.02, 4.0), (8, 4), (13, 4), (5, 0.9)]) {
            let device = FakeDevice { plan in
                plan.frameCount = 16_000 * 26
                plan.bufferLength = kind == .delay ? 100_000 : 16_000
                plan.mishaps = [.init(kind: kind, time: time, duration: duration)]
            }
            let capture = try await Capture.whole(of: device)
            #expect(capture.error == nil)
            let measured = try #require(capture.statistics.measuredSampleRate)
            #expect(abs(measured - 16_000) < 40, "\(kind) at \(time)")
        }
    }
}
