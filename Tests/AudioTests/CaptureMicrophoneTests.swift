import Foundation
import TestSupport
import Testing

@testable import Audio

@Suite("A tap on the virtual microphone")
struct CaptureMicrophoneTests {
    @Test("captures sound at the device's own rate bit for bit", arguments: [16_000, 48_000])
    func bitForBit(rate: Int) async throws {
        let microphone = try await VirtualMicrophone(rate: rate, channelCount: 1)
        let played = try await microphone.rendered(Toolchain.repository + "/AudioFixtures/digits-rms.wav")
        let (tap, hearing) = try await capture(microphone, sampleRate: rate)

        try await microphone.play(played)

        try await hearing.wait(nonzero: played.count { $0 != 0 })
        await tap.stop()
        let capture = await hearing.finished()
        let samples = capture.samples
        let offset = try #require(Alignment.exactOffset(of: played, in: samples))
        #expect(samples[..<offset].allSatisfy { $0 == 0 })
        #expect(samples[(offset + played.count)...].allSatisfy { $0 == 0 })
        #expect(capture.error == nil)
        #expect(capture.statistics.samplesMissing == 0)
    }

    @Test(
        "gives one error after all captured sound when the server is killed, and then ends",
        arguments: ["die", "removal"])
    func deviceGoes(fate: String) async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        let (tap, hearing) = try await capture(microphone, sampleRate: 16_000)
        // Longer than this test may ever have to wait for its turn.
        let noise = noise(16_000 * 10, for: "noise until \(fate)")
        let playback = try microphone.playing(noise, times: 60)
        try await hearing.wait(nonzero: 8_000)

        if fate == "die" { try await microphone.die() } else { try await microphone.removeDevice() }

        let capture = await hearing.finished()
        #expect(capture.error?.code == .unplugged, "\(String(describing: capture.error))")
        let heard = Array(capture.samples.drop { $0 == 0 })
        #expect(heard.count >= 8_000)
        var played = noise
        while played.count < heard.count { played += noise }
        expectSame(heard, Array(played.prefix(heard.count)))
        capture.expectLedger()
        // Nobody is left who works, and nobody had to stop it.
        #expect(await tap.blocks.session.waitForEnd(limit: .seconds(Patience.seconds)))
        await tap.stop()
        #expect(await Capture.reading(tap).error == capture.error)
        if fate == "removal" { _ = try? await playback.stop() }
    }

    @Test("captures the sound from the time when the server was stopped, after the server goes on")
    func standstill() async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        let (tap, hearing) = try await capture(microphone, sampleRate: 16_000)
        let noise = noise(16_000, for: "noise at a standstill")
        let playback = try microphone.playing(noise)
        try await hearing.wait(nonzero: 1_600)
        try await microphone.freezeAndThaw()
        try await playback.finish()
        try await hearing.wait(nonzero: noise.count)
        await tap.stop()
        let capture = await hearing.finished()
        #expect(Alignment.exactOffset(of: noise, in: capture.samples) != nil)
        capture.expectLedger()
    }

    @Test("stops although the server is stopped, and its reader ends")
    func stopsAtStandstill() async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        let (tap, hearing) = try await capture(microphone, sampleRate: 16_000)
        try await hearing.wait(count: 1_600)
        try await microphone.freeze()
        await tap.stop()
        let capture = await hearing.finished()
        capture.expectLedger()
        #expect(capture.samples.count >= 1_600)
        try await microphone.thaw()
    }

    @Test("captures again after the sink was suspended")
    func suspension() async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        let (tap, hearing) = try await capture(microphone, sampleRate: 16_000)
        try await microphone.suspendAndResume()
        let noise = noise(8_000, for: "noise after a suspension")
        try await microphone.play(noise)
        try await hearing.wait(nonzero: noise.count)
        await tap.stop()
        let capture = await hearing.finished()
        #expect(Alignment.exactOffset(of: noise, in: capture.samples) != nil)
        #expect(capture.error == nil)
        capture.expectLedger()
    }

    @Test("starts and stops fifty times, each time with sound between")
    func fiftyTimes() async throws {
        let microphone = try await VirtualMicrophone(rate: 16_000, channelCount: 1)
        for round in 0..<50 {
            let (tap, hearing) = try await capture(microphone, sampleRate: 16_000)
            if round % 5 == 0 { try await hearing.wait(count: 160) }
            await tap.stop()
            let capture = await hearing.finished()
            capture.expectLedger()
            #expect(capture.error == nil)
        }
    }

    /// Samples of which none is 0.
    private func noise(_ count: Int, for test: String) -> [Int16] {
        var random = SplitMix64(for: test)
        return (0..<count).map { _ in Int16.random(in: 1...10_000, using: &random) }
    }

    private func capture(_ microphone: VirtualMicrophone, sampleRate: Int) async throws -> (CaptureTap, Hearing) {
        let tap = CaptureTap(
            CaptureConfiguration(
                device: microphone.deviceName, sampleRate: sampleRate, deviceSampleRate: microphone.rate,
                bufferDuration: 30))
        try await tap.start()
        #expect(tap.deviceFormat == AudioFormat(sampleRate: microphone.rate, channelCount: 1))
        return (tap, Hearing(tap))
    }
}

/// What is heard of a tap while the test does other things.
private final class Hearing: Sendable {
    struct Ended: Error {
        var error: CaptureError?
    }

    private struct Heard: Sendable {
        var blocks: [AudioBlock] = []
        var nonzero = 0
        var count = 0
        var end: CaptureError??
    }

    private let tap: CaptureTap
    private let heard = Awaited(Heard())

    init(_ tap: CaptureTap) {
        self.tap = tap
        Task { [heard] in
            var error: CaptureError?
            do {
                for try await block in tap.blocks {
                    heard.withLock {
                        $0.blocks.append(block)
                        $0.count += block.samples.count
                        $0.nonzero += block.samples.count { $0 != 0 }
                    }
                }
            } catch let failure {
                error = failure as? CaptureError
                if error == nil { Issue.record(failure) }
            }
            heard.withLock { [error] in $0.end = .some(error) }
        }
    }

    /// Waits until so many samples are there, and so many that are not 0.
    func wait(nonzero: Int = 0, count: Int = 0) async throws {
        let heard = await heard.wait { $0.nonzero >= nonzero && $0.count >= count || $0.end != nil }
        if heard.nonzero < nonzero || heard.count < count { throw Ended(error: heard.end ?? nil) }
    }

    /// All of it, once there is no more.
    func finished() async -> Capture {
        let heard = await heard.wait { $0.end != nil }
        return Capture(blocks: heard.blocks, error: heard.end ?? nil, statistics: tap.statistics)
    }
}
