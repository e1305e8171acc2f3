import Foundation
import TestSupport
import Testing

@Suite("Devices that read files")
struct FilePCMTests {
    @Test(
        "The bytes of a file come as they are, whatever they are taken for",
        arguments: [
            ("S16_LE", 16_000, 1, 2), ("S16_LE", 44_100, 2, 4), ("S32_LE", 96_000, 8, 32), ("FLOAT_LE", 8_000, 1, 4),
        ])
    func asTheyAre(format: String, rate: Int, channelCount: Int, frameByteCount: Int) async throws {
        var numbers = SplitMix64(for: "file device")
        let bytes = (0..<32_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        let device = try FilePCM(bytes: bytes)
        let heard = try await record(
            device, format: format, rate: rate, channelCount: channelCount, frameCount: bytes.count / frameByteCount)
        expectSame(heard, bytes)
    }

    @Test("Silence follows the file if that is asked for")
    func silence() async throws {
        let samples = (1...1_000).map { Int16($0) }
        let device = try FilePCM(samples, silence: 5_000)
        let heard = try await record(device, format: "S16_LE", rate: 16_000, channelCount: 1, frameCount: 4_000)
        expectSame(Samples.read(heard), samples + [Int16](repeating: 0, count: 3_000))
    }

    @Test("The end of the file does not end the device")
    func end() async throws {
        let samples = (1...1_000).map { Int16($0) }
        let device = try FilePCM(samples)
        let heard = try await record(device, format: "S16_LE", rate: 16_000, channelCount: 1, frameCount: 20_000)
        #expect(heard.count == 40_000)
        expectSame(Array(Samples.read(heard).prefix(1_000)), samples)
    }

    /// Records so many frames with `arecord`.
    private func record(
        _ device: FilePCM, format: String, rate: Int, channelCount: Int, frameCount: Int
    ) async throws -> [UInt8] {
        let folder = TemporaryFolder()
        let finished = try await Program(
            [
                "arecord", "-q", "-D", device.deviceName, "-t", "raw", "-f", format, "-r", "\(rate)", "-c",
                "\(channelCount)", "--samples=\(frameCount)", folder.file("captured"),
            ], environment: ALSADevices.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        ).finish()
        #expect(finished.end == .exited(0), "\(finished.errors)")
        return try #require(folder.bytes(of: "captured"))
    }

    /// Without the difference of two long arrays, which takes minutes.
    private func expectSame<Element: Equatable>(
        _ heard: [Element], _ expected: [Element], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let difference = zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset
        #expect(difference == nil, sourceLocation: sourceLocation)
        #expect(heard.count == expected.count, sourceLocation: sourceLocation)
    }
}
