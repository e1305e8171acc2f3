import CALSA
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Audio

@Suite("The counts of a capture")
struct CaptureLedgerTests {
    @Test(
        "With random faults, every sample is delivered or counted, at its true position",
        arguments: 0..<Tier.count(15, long: 40))
    func randomMishaps(run: Int) async throws {
        var random = SplitMix64(for: "capture \(run)")
        let plan = FakeDevicePlan { plan in
            plan.periodLength = [16, 160, 777, 4_000].randomElement(using: &random)!
            plan.bufferLength = plan.periodLength * Int.random(in: 2...20, using: &random)
            plan.frameCount = Int.random(in: 0...160_000, using: &random)
            plan.channelCount = Int.random(in: 1...3, using: &random)
            var time = 0.0
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                time += Double.random(in: 0.2...1.5, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    plan.mishaps.append(
                        .init(kind: .standstill, time: time, duration: .random(in: 0...2, using: &random)))
                case 1:
                    plan.mishaps.append(
                        .init(kind: .suspension, time: time, duration: .random(in: 0...0.9, using: &random)))
                case 2 where plan.faults.count < 2:
                    plan.faults.append(.init(call: .read, answer: -Int(EPIPE), time: time, times: 1))
                default:
                    plan.faults.append(
                        .init(
                            call: .read, answer: -Int([EAGAIN, EINTR].randomElement(using: &random)!), time: time,
                            times: 5))
                }
            }
        }
        let device = FakeDevice(plan)

        let capture = try await Capture.whole(of: device)

        let lossCount = Int64(capture.statistics.overruns + capture.statistics.suspensions)
        // What befalls it in one silence may be so much that it is taken for gone.
        if let error = capture.error {
            #expect(error.code == .unplugged && device.figures.restartsInSilence >= CaptureRecovery.restartLimit)
        }
        // What is lost is measured by the clock, to less than two milliseconds each time.
        capture.expectTruth(device, tolerance: 32 * lossCount)
        // The last gap may have no sound behind it.
        let told =
            capture.blocks.last.map { $0.position! + Int64($0.samples.count) - Int64(capture.samples.count) } ?? 0
        #expect(capture.statistics.samplesMissing >= told)
        if lossCount == 0 { #expect(capture.samples.count == plan.frameCount) }
        #expect(capture.statistics.framesCaptured == Int64(device.figures.read.reduce(0) { $0 + $1.count }))
    }

    @Test("Whenever the thread is delayed, later samples have the position at which they sounded")
    func everyMoment() async throws {
        // Each of the device's calls takes a microsecond: this is before, between and behind all calls of one round, and of the next.
        for microsecond in 0..<60 {
            for (period, buffer) in [(160, 1_600), (1_600, 3_200)] {
                let device = FakeDevice { plan in
                    plan.periodLength = period
                    plan.bufferLength = buffer
                    plan.frameCount = 16_000
                    plan.mishaps = [.init(kind: .standstill, time: 0.2 + 1e-6 * Double(microsecond), duration: 0.4)]
                }
                let capture = try await Capture.whole(of: device, .fake(bufferDuration: 1))
                #expect(capture.statistics.overruns == 1)
                #expect(capture.blocks.count == 2, "held up after \(microsecond) µs")
                capture.expectTruth(device, tolerance: 32)
            }
        }
    }

    /// A tenth of a second lost, a tenth heard, a hundred times.
    private static let manyGaps = FakeDevicePlan { plan in
        plan.frameCount = 320_000
        plan.bufferLength = 800
        plan.mishaps = (0..<100).map { .init(kind: .standstill, time: 0.05 + 0.15 * Double($0), duration: 0.1) }
    }

    @Test("Gaps for which there is no room are reported with the next ones: in the end positions are right again")
    func manyGaps() async throws {
        // The reader comes after all that.
        let device = FakeDevice(Self.manyGaps)
        let capture = try await Capture.whole(of: device)
        #expect(capture.statistics.overruns == 100)
        expectSame(capture.samples, device.figures.read.flatMap { $0 }.map(FakeDevicePlan.number))
        // The queue holds 64. Behind them samples stand too early by what is not told yet, and never too late.
        let frames = device.figures.read.flatMap { $0 }
        var index = 0
        var wrongBlocks = 0
        for block in capture.blocks {
            let error = block.position! - Int64(frames[index])
            #expect(error < 100 * 32)
            if error < -3_200 { wrongBlocks += 1 }
            index += block.samples.count
        }
        #expect(capture.blocks.count >= 64)
        #expect(wrongBlocks > 0)
    }

    @Test("A reader that takes gaps as they come frees their room: each is reported at its position")
    func gapsInTurn() async throws {
        let tap = Mutex<CaptureTap?>(nil)
        let gate = Gate()
        var plan = Self.manyGaps
        // So that the reader has taken everything before more comes.
        plan.gate = { gate.wait { tap.withLock { $0?.blocks.session.isReadUp ?? true } } }
        let device = FakeDevice(plan)
        let started = device.tap(.fake(bufferDuration: 30))
        tap.withLock { $0 = started }
        try await started.start()
        async let reading = Capture.reading(started) { gate.open() }
        await device.settled()
        await started.stop()
        let capture = await reading
        tap.withLock { $0 = nil }
        capture.expectLedger()
        #expect(capture.statistics.overruns == 100)
        capture.expectTruth(device, tolerance: 32 * 100)
        #expect(capture.blocks.last?.position ?? 0 > 300_000)
    }

    @Test(
        "A late reader loses the oldest samples: they are counted, and the others have the position at which they sounded"
    )
    func lateReader() async throws {
        let device = FakeDevice { $0.frameCount = 100_000 }
        let capture = try await Capture.whole(of: device, .fake(bufferDuration: 1))
        // A second's room is a power of two of samples.
        #expect(capture.statistics.samplesDropped == 100_000 - 16_384)
        #expect(capture.blocks.first?.position == Int64(100_000 - 16_384))
        expectSame(capture.samples, (100_000 - 16_384..<100_000).map(FakeDevicePlan.number))
    }

    @Test(
        "A reader that is too slow all the time, over gaps too: every sample stands where it sounded",
        arguments: 0..<Tier.count(4, long: 10))
    func slowReader(run: Int) async throws {
        var random = SplitMix64(for: "slow reader \(run)")
        let seed = random.seed
        let device = FakeDevice { plan in
            plan.frameCount = 200_000
            plan.bufferLength = 1_600
            plan.mishaps = (0..<6).map {
                .init(kind: .standstill, time: Double($0) + 0.9, duration: .random(in: 0.2...0.6, using: &random))
            }
        }
        let tap = device.tap(.fake(bufferDuration: 0.06))
        try await tap.start()
        async let reading = Capture.reading(tap) {
            var random = SplitMix64(seed: seed)
            for _ in 0..<Int(random.next() % 50) { await Task.yield() }
        }
        await device.settled()
        await tap.stop()
        let capture = await reading
        capture.expectLedger()
        #expect(capture.statistics.overruns == 6)
        for block in capture.blocks {
            let position = Int(block.position!)
            let frame = (max(0, position - 200)...position + 200).first { frame in
                block.samples.enumerated().allSatisfy { $1 == FakeDevicePlan.number(frame + $0) }
            }
            #expect(frame != nil, "seed \(seed): \(block.samples.count) samples at \(position) did not sound there")
        }
    }

    @Test(
        "A capture that ends by itself gives so many samples and no more, at every rate",
        arguments: [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000])
    func sampleLimit(rate: Int) async throws {
        for limit in [0, 1, 159, 160, 161, 16_000, 20_000] as [Int64] {
            let device = FakeDevice { plan in
                plan.sampleRate = rate
                plan.trueRate = Double(rate)
                plan.periodLength = rate / 100
                plan.bufferLength = rate
                plan.frameCount = 3 * rate
            }
            let tap = device.tap(.fake(bufferDuration: 2, sampleLimit: limit))
            try await tap.start()
            // It ends without being stopped.
            let capture = await Capture.reading(tap)
            capture.expectLedger()
            #expect(capture.samples.count == Int(limit))
            #expect(capture.error == nil)
            // Enough and little more was taken: a filter's length, and the period that is begun.
            #expect(capture.statistics.framesCaptured <= limit * Int64(rate) / 16_000 + Int64(rate) / 20)
            await tap.stop()
            #expect(device.figures.closes == 1)
        }
    }

    @Test("The sample limit counts the captured samples, not those that a gap lost")
    func sampleLimitOverGap() async throws {
        let device = FakeDevice { $0.mishaps = [.init(kind: .standstill, duration: 1.2)] }
        let capture = try await Capture.whole(of: device, .fake(sampleLimit: 10_000))
        #expect(capture.samples.count == 10_000)
        capture.expectTruthOfFirst(10_000, device, tolerance: 40)
    }

    @Test("The level is computed from the last samples", arguments: [0, 1, 100, 16_384, 32_767] as [Int16])
    func levels(amplitude: Int16) async throws {
        // A square wave: as loud on average as at its peak.
        let samples = (0..<16_000).map { $0 / 40 % 2 == 0 ? amplitude : -amplitude }
        let square = try await Capture.whole(of: FakeDevice(.playing(samples)))
        #expect(square.statistics.level.peak == Float(amplitude) / 32_768)
        #expect(abs(square.statistics.level.rms - Float(amplitude) / 32_768) < 1e-4)

        let sine = (0..<16_000).map { Int16((Double(amplitude) * sin(Double($0) * 2 * .pi / 160)).rounded()) }
        let wave = try await Capture.whole(of: FakeDevice(.playing(sine)))
        #expect(wave.statistics.level.peak == Float(amplitude) / 32_768)
        #expect(abs(wave.statistics.level.rms - Float(amplitude) / 32_768 / Float(2).squareRoot()) < 1e-4)
    }

    @Test(
        "Zeros are counted up to the last sample, and any other sample restarts the count",
        arguments: [0, 1, -1] as [Int16])
    func silence(last: Int16) async throws {
        let samples = [3] + [Int16](repeating: 0, count: 7_000) + [last] + [Int16](repeating: 0, count: 999)
        let capture = try await Capture.whole(of: FakeDevice(.playing(samples)))
        #expect(capture.statistics.samplesOfSilence == (last == 0 ? 8_000 : 999))
    }

    @Test("The level is that of the last twentieth of a second, and the loudest sample is full scale")
    func lastLevel() async throws {
        let full = try await Capture.whole(of: FakeDevice(.playing([Int16](repeating: .min, count: 800))))
        #expect(full.statistics.level == CaptureStatistics.Level(peak: 1, rms: 1))
        let loudThenSoft = [Int16](repeating: .max, count: 7_200) + [Int16](repeating: 3, count: 800)
        let soft = try await Capture.whole(of: FakeDevice(.playing(loudThenSoft)))
        #expect(soft.statistics.level == CaptureStatistics.Level(peak: 3 / 32_768, rms: 3 / 32_768))
        let short = try await Capture.whole(of: FakeDevice(.playing([Int16](repeating: .max, count: 799))))
        #expect(short.statistics.level == CaptureStatistics.Level(peak: 0, rms: 0))
    }
}

/// Where a device waits until something is so.
final class Gate: Sendable {
    private let condition = NSCondition()

    func wait(until isOpen: () -> Bool) {
        condition.lock()
        while !isOpen() { condition.wait() }
        condition.unlock()
    }

    /// Something has changed.
    func open() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }
}
