import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite("The lifetime of a tap")
struct CaptureLifetimeTests {
    /// `UTTER_TAP_LIVES` sets how many taps there are.
    @Test(
        "Started, stopped and dropped a thousand times, taps leave nothing behind: no descriptor, thread, mapping or memory",
        .long, .notSanitized("its own memory is in the figures"))
    func thousandTimes() async throws {
        let seed = SplitMix64(for: "lives").seed
        let folder = TemporaryFolder()
        let check = folder.file("lifetime-check")
        let compiled = try await Toolchain.compile(
            [Toolchain.source("LifetimeCheck/main.swift"), "-o", check] + Toolchain.objects())
        try #require(compiled.end == .exited(0), "\(compiled.errors)")
        let count = Tier.count(1000, long: 1000, "UTTER_TAP_LIVES")

        let more = try await run([check, "\(count)", "\(seed)"])
        #expect(more[0] <= 0 && more[1] <= 0 && more[2] <= 0, "seed \(seed)")
        // Less than a thread's stack, and a leak of 64 bytes each.
        #expect(more[3] < 1_024 && more[4] < 64 << 10, "seed \(seed)")

        // The same with one in fifty that nobody lets go.
        let leaked = try await run([check, "100", "\(seed)", "--plant", "leak"])
        #expect(leaked[1] == 4)
        #expect(leaked[4] > 8_000)
    }

    /// How many more threads, descriptors, mappings, pages and bytes there are in the end.
    private func run(_ command: [String]) async throws -> [Int] {
        let environment = ProcessInfo.processInfo.environment.merging(ALSADevices.environment) { $1 }
        let finished = try await Program(command, environment: environment).finish()
        print(finished.output)
        let more = (finished.outputLines.last ?? "").split(separator: " ").compactMap { Int($0) }
        try #require(finished.end == .exited(0) && more.count == 5, "\(finished.errors)")
        return more
    }

    @Test("A tap that is stopped before it is started never starts, and its reader ends")
    func stoppedBefore() async throws {
        let device = FakeDevice(FakeDevicePlan())
        let tap = device.tap()
        async let reading = Capture.reading(tap)
        await tap.stop()
        #expect(await tap.refusal()?.code == .alreadyUsed)
        let capture = await reading
        #expect(capture.blocks.isEmpty && capture.error == nil)
        #expect(device.figures.calls.isEmpty)
        await tap.stop()
    }

    @Test(
        "A reader is woken at the first sound, for each block of the duration, and at the end",
        arguments: [0, 0.03, 10])
    func wakeUps(blockDuration: Double) async throws {
        let device = FakeDevice { $0.frameCount = 16_050 }
        let tap = device.tap(
            CaptureConfiguration(
                device: "fake", sampleRate: 16_000, deviceSampleRate: 16_000, blockDuration: blockDuration,
                bufferDuration: 2, sampleLimit: 16_000))
        async let reading = Capture.reading(tap)
        try await tap.start()
        let capture = await reading
        #expect(capture.blocks.reduce(0) { $0 + $1.samples.count } == 16_000 && capture.error == nil)
        // A hundred periods of 10 ms, the first of which is a block.
        let blocks = blockDuration == 0 ? 100 : blockDuration == 0.03 ? 1 + 33 : 1
        #expect(device.figures.wakeUps == blocks + 1)
        await tap.stop()
    }

    @Test("The reader of a tap that is released before it is started ends")
    func droppedBefore() async throws {
        var tap: CaptureTap? = FakeDevice(FakeDevicePlan()).tap()
        var blocks = try #require(tap?.blocks.makeAsyncIterator())
        tap = nil
        #expect(try await blocks.next() == nil)
    }

    @Test("A tap that is released while it captures stops by itself, and its samples can still be read")
    func droppedDuring() async throws {
        let device = FakeDevice(FakeDevicePlan())
        var tap: CaptureTap? = device.tap()
        try await tap?.start()
        let blocks = try #require(tap?.blocks)
        await device.settled()
        tap = nil
        var samples: [Int16] = []
        for try await block in blocks { samples += block.samples }
        expectSame(samples, (0..<32_000).map(FakeDevicePlan.number))
        try await Patience.wait(for: "the device is closed") { device.figures.closes > 0 }
        #expect(device.figures.closes == 1)
    }

    @Test("Every stop returns when all samples can be read, also a second one and concurrent ones")
    func stops() async throws {
        for _ in 0..<20 {
            let device = FakeDevice(FakeDevicePlan())
            let tap = device.tap()
            try await tap.start()
            await device.settled()
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        await tap.stop()
                        #expect(device.figures.closes == 1)
                    }
                }
            }
            await tap.stop()
            #expect(await Capture.reading(tap).samples.count == 32_000)
        }
    }

    @Test("A stop that is concurrent with the start ends the capture or prevents it")
    func stopBesideStart() async throws {
        for _ in 0..<200 {
            let device = FakeDevice { $0.frameCount = 1_600 }
            let tap = device.tap(.fake(bufferDuration: 1))
            async let error = tap.refusal()
            async let capture = Capture.reading(tap)
            await tap.stop()
            let code = await error?.code
            #expect(code == nil || code == .alreadyUsed)
            #expect(device.figures.closes == (code == nil ? 1 : 0))
            await capture.expectLedger()
        }
    }

    @Test(
        "A device whose call does not return blocks neither the stop nor the reader, and is closed when the call returns"
    )
    func stuckDevice() async throws {
        let isStuck = Atomic(true)
        let gate = Gate()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let device = FakeDevice {
            $0.gate = {
                arrival.yield()
                gate.wait { !isStuck.load(ordering: .relaxed) }
            }
        }
        let tap = CaptureTap(.fake(), stopLimit: .milliseconds(20)) { _ throws(CaptureError) in device.device }
        try await tap.start()
        // The thread may not have come to the call yet, and would then end before it.
        for await _ in arrivals { break }
        await tap.stop()
        #expect(device.figures.closes == 0)
        #expect(await Capture.reading(tap).blocks.isEmpty)
        isStuck.store(false, ordering: .relaxed)
        gate.open()
        await device.settled()
        #expect(device.figures.closes == 1)
    }

    @Test("A cancelled reader stops waiting and loses nothing, and the next reader goes on at its position")
    func cancelledReader() async throws {
        let device = FakeDevice { $0.frameCount = 16_000 }
        let tap = device.tap()
        let waiting = Task { await Capture.reading(tap) }
        try await tap.start()
        await device.settled()
        try await Patience.wait(for: "all is read") { tap.blocks.session.isReadUp }
        waiting.cancel()
        let first = await waiting.value
        await tap.stop()
        let second = await Capture.reading(tap)
        expectSame(first.samples + second.samples, (0..<16_000).map(FakeDevicePlan.number))
        #expect(tap.statistics.samplesDelivered == 16_000)
    }

    @Test("Readers that take a block each in turn get every sample and position, also over gaps")
    func readersInTurn() async throws {
        let device = FakeDevice { plan in
            plan.bufferLength = 800
            plan.mishaps = (0..<8).map { .init(kind: .standstill, time: 0.1 + 0.2 * Double($0), duration: 0.1) }
        }
        let tap = device.tap()
        try await tap.start()
        await device.settled()
        await tap.stop()
        var capture = Capture(statistics: tap.statistics)
        reading: while true {
            for try await block in tap.blocks {
                capture.blocks.append(block)
                continue reading
            }
            break
        }
        capture.statistics = tap.statistics
        capture.expectLedger()
        capture.expectTruth(device, tolerance: 32 * 8)
        #expect(capture.blocks.count >= 9)
    }

    @Test("Statistics and format may be asked for at any time, from any thread")
    func askedAnyTime() async throws {
        let device = FakeDevice { $0.frameCount = 160_000 }
        let tap = device.tap()
        #expect(tap.statistics.samplesCaptured == 0)
        #expect(tap.deviceFormat == nil)
        let asking = Task.detached {
            var captured: Int64 = 0
            while !Task.isCancelled {
                let statistics = tap.statistics
                #expect(statistics.samplesCaptured >= captured)
                captured = statistics.samplesCaptured
                _ = tap.deviceFormat
                await Task.yield()
            }
        }
        try await tap.start()
        async let reading = Capture.reading(tap)
        await device.settled()
        await tap.stop()
        asking.cancel()
        await asking.value
        await reading.expectLedger()
        #expect(tap.statistics.samplesCaptured == 160_000)
    }
}
