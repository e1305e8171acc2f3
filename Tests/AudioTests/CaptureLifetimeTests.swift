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
        "Started, stopped and dropped thousands of times, taps leave nothing behind: no descriptor, thread, mapping or memory",
        .long, .notSanitized("its own memory is in the figures"))
    func thousandsOfTimes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ProcessFigures.prepare()
            var random = SplitMix64(for: "lives")
            // Until Dispatch has as many odds and ends in stock as it keeps.
            for _ in 0..<300 { try await live(using: &random) }
            let early = ProcessFigures.settled
            let count = Tier.count(3000, long: 3000, "UTTER_TAP_LIVES")
            for _ in 0..<count { try await live(using: &random) }
            let late = ProcessFigures.settled
            print("before: \(early)\nafter: \(late)")
            fflush(nil)
            #expect(late.threads <= early.threads && late.descriptors <= early.descriptors)
            // Mappings side by side can become one. A leak of 64 bytes each would be seen.
            #expect(late.mappings <= early.mappings && late.heap - early.heap < 64 * count)
            // The same figures show taps that nobody lets go.
            let left = (0..<50).map { _ in CaptureTap(CaptureConfiguration(device: "null", bufferDuration: 0.1)) }
            let more = ProcessFigures.now
            #expect(more.descriptors >= late.descriptors + left.count && more.heap - late.heap > 64 * left.count)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
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

/// One tap on `null`, which ends at a moment and in a way of the generator's choice.
private func live(using random: inout SplitMix64) async throws {
    var tap: CaptureTap? = CaptureTap(
        CaptureConfiguration(device: "null", deviceSampleRate: 16_000, bufferDuration: 0.1))
    let blocks = tap!.blocks
    let reads = Int.random(in: 0...2, using: &random)
    let way = Int.random(in: 0..<6, using: &random)
    let reader = Task {
        var left = reads
        for try await _ in blocks {
            left -= 1
            if left <= 0 { break }
        }
    }
    if way != 0 { try await tap!.start() }
    for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
    switch way {
    case 0, 1: break
    case 2: reader.cancel()
    default: await tap!.stop()
    }
    tap = nil
    _ = await reader.result
}
