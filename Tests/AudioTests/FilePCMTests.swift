import Foundation
import TestSupport
import Testing

@Suite("Devices that read files", .timeLimit(.minutes(1)))
struct FilePCMTests {
    /// Records so many frames with `arecord`.
    private func record(_ device: String, rate: Int, channelCount: Int, frameCount: Int) async throws -> [Int16] {
        let folder = try TemporaryFolder()
        let finished = try await Program(
            [
                "arecord", "-q", "-D", device, "-t", "raw", "-f", "S16_LE", "-r", "\(rate)", "-c", "\(channelCount)",
                "--samples=\(frameCount)", folder.file("captured"),
            ], environment: ALSADevices.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        ).finish()
        #expect(finished.end == .exited(0), "\(finished.errors)")
        return Samples.read(try folder.read("captured"))
    }

    @Test("A file's samples come as they are")
    func asTheyAre() async throws {
        var numbers = SplitMix64(for: "file device")
        let samples = (0..<16_000).map { _ in Int16.random(in: .min ... .max, using: &numbers) }
        let device = try FilePCM(samples, silence: 16_000)
        let heard = try await record(device.deviceName, rate: 16_000, channelCount: 1, frameCount: 20_000)
        #expect(heard == samples + [Int16](repeating: 0, count: 4_000))
    }

    @Test("The converting device gives other rates and channel counts")
    func converted() async throws {
        // Slow enough that no way of converting changes it much.
        let tone = (0..<16_000).map { Int16(10_000 * sin(Double($0) * Double($0) / 400_000)) }
        let device = try FilePCM(tone, silence: 16_000)
        let heard = try await record(
            device.convertingDeviceName, rate: 48_000, channelCount: 2, frameCount: 3 * tone.count + 2_400)
        let everyThirdOnTheLeft = stride(from: 0, to: heard.count, by: 6).map { heard[$0] }
        let offset = try #require(Alignment.offset(of: tone, in: everyThirdOnTheLeft))
        #expect(offset < 50)
        #expect(heard.indices.allSatisfy { heard[$0] == heard[$0 ^ 1] })
    }
}
