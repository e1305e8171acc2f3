import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite("A tap's life", .timeLimit(.minutes(3)))
struct CaptureLifetimeTests {
    @Test("Started and stopped a thousand times, taps leave nothing behind: no descriptor, thread, mapping or memory")
    func thousandTimes() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try oneHeap()
            var random = SplitMix64(for: "lives")
            // Until Dispatch has as many odds and ends in stock as it keeps.
            for _ in 0..<400 { try await live(using: &random) }
            let early = await TapFigures.settled()
            for _ in 0..<1_000 { try await live(using: &random) }
            let late = await TapFigures.settled()
            print("after 400: \(early)\nafter 1,400: \(late)")
            fflush(nil)
            #expect(late.descriptors <= early.descriptors)
            #expect(late.threads <= early.threads)
            #expect(late.mappings <= early.mappings)
            #expect(late.heap < early.heap + 64 << 10)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test("The figures see a tap that is never freed")
    func figuresSee() async throws {
        await #expect(processExitsWith: .success) {
            try oneHeap()
            var random = SplitMix64(for: "leak")
            for _ in 0..<20 { try await live(using: &random) }
            let early = await TapFigures.settled()
            let device = FakeDevice(FakeDevicePlan { $0.frameCount = 160 })
            let tap = device.tap(.fake(bufferDuration: 1))
            try await tap.start()
            await device.settled()
            let late = TapFigures.now
            #expect(late.descriptors >= early.descriptors + 2)
            #expect(late.threads >= early.threads + 1)
            #expect(late.heap > early.heap + 16_384)
            await tap.stop()
        }
    }

    @Test("Stopped before it was started, a tap never starts, and its reader is at the end")
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

    @Test("Dropped before it was started, its reader is at the end")
    func droppedBefore() async throws {
        var tap: CaptureTap? = FakeDevice(FakeDevicePlan()).tap()
        var blocks = try #require(tap?.blocks.makeAsyncIterator())
        tap = nil
        #expect(try await blocks.next() == nil)
    }

    @Test("Dropped while it captures, it stops by itself, and what it has heard can still be read")
    func droppedDuring() async throws {
        let device = FakeDevice(FakeDevicePlan())
        var tap: CaptureTap? = device.tap()
        try await tap?.start()
        let blocks = try #require(tap?.blocks)
        await device.settled()
        tap = nil
        var samples: [Int16] = []
        for try await block in blocks { samples += block.samples }
        #expect(samples == (0..<32_000).map(FakeDevicePlan.number))
        while device.figures.closes == 0 { await Task.yield() }
        #expect(device.figures.closes == 1)
    }

    @Test("Every stop returns when all is there, also the second, and one beside another")
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

    @Test("A stop beside the start ends it, or keeps it from starting")
    func stopBesideStart() async throws {
        for _ in 0..<200 {
            let device = FakeDevice(FakeDevicePlan { $0.frameCount = 1_600 })
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

    @Test("A reader that is cancelled stops waiting, loses nothing, and another goes on where it was")
    func cancelledReader() async throws {
        let device = FakeDevice(FakeDevicePlan { $0.frameCount = 16_000 })
        let tap = device.tap()
        let waiting = Task { await Capture.reading(tap) }
        try await tap.start()
        await device.settled()
        while !tap.blocks.session.isReadUp { await Task.yield() }
        waiting.cancel()
        let first = await waiting.value
        await tap.stop()
        let second = await Capture.reading(tap)
        #expect(first.samples + second.samples == (0..<16_000).map(FakeDevicePlan.number))
        #expect(tap.statistics.samplesDelivered == 16_000)
    }

    @Test("Readers in turn, each of which takes a block, get every sample and place, over gaps too")
    func readersInTurn() async throws {
        let device = FakeDevice(
            FakeDevicePlan { plan in
                plan.bufferLength = 800
                plan.mishaps = (0..<8).map { .init(kind: .standstill, time: 0.1 + 0.2 * Double($0), duration: 0.1) }
            })
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
        let device = FakeDevice(FakeDevicePlan { $0.frameCount = 160_000 })
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
    var tap: CaptureTap? = CaptureTap(CaptureConfiguration(device: "null", bufferDuration: 0.1))
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

/// One heap for all threads, as otherwise glibc makes one for each of the first of them.
private func oneHeap() throws {
    typealias SetOption = @convention(c) (Int32, Int32) -> Int32
    let address = try #require(dlsym(nil, "mallopt"))
    let arenaMaximum: Int32 = -8
    #expect(unsafeBitCast(address, to: SetOption.self)(arenaMaximum, 1) == 1)
}

/// What the system says of this process.
private struct TapFigures: CustomStringConvertible {
    var threads: Int
    var descriptors: Int
    var mappings: Int
    /// In use, in bytes.
    var heap: Int

    var description: String { "\(threads) threads, \(descriptors) descriptors, \(mappings) mappings, \(heap) bytes of heap" }

    static var now: TapFigures {
        func entries(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? -1 }
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return TapFigures(
            threads: entries("/proc/self/task"), descriptors: entries("/proc/self/fd"),
            mappings: maps.split(separator: "\n").count, heap: heapInUse())
    }

    /// Once Dispatch has let its threads go, and their stacks and caches with them: then there are the main thread, the one that waits
    /// for Dispatch's events, and ours.
    static func settled() async -> TapFigures {
        var figures = now
        for _ in 0..<1_000 where figures.threads > 3 {
            poll(nil, 0, 20)
            figures = now
        }
        return figures
    }

    /// C: `malloc_info`
    private static func heapInUse() -> Int {
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        let stream = open_memstream(&text, &length)
        // Not in the Glibc module.
        typealias Report = @convention(c) (Int32, OpaquePointer?) -> Int32
        if let address = dlsym(nil, "malloc_info") { _ = unsafeBitCast(address, to: Report.self)(0, stream.map { OpaquePointer($0) }) }
        fclose(stream)
        defer { free(text) }
        let report = text.map { String(cString: $0) } ?? ""
        // Behind the last heap come the sums: what is free in bins, and what the system gave.
        let sums = report.components(separatedBy: "</heap>").last ?? ""
        func size(_ kind: String, _ type: String) -> Int {
            guard let element = sums.range(of: "<\(kind) type=\"\(type)\""),
                let number = sums[element.upperBound...].range(of: "size=\"")
            else { return 0 }
            return Int(sums[number.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return size("system", "current") + size("total", "mmap") - size("total", "fast") - size("total", "rest")
    }
}
