import Testing

@testable import Audio

/// What came of a capture that has ended.
struct Capture: Sendable {
    var blocks: [AudioBlock] = []
    /// What its blocks ended with.
    var error: CaptureError?
    var statistics: CaptureStatistics

    var samples: [Int16] { blocks.flatMap(\.samples) }

    /// Reads all that a tap has and will have.
    ///
    /// - Parameter afterEach: what is done between a block and the next.
    static func reading(_ tap: CaptureTap, afterEach: @Sendable () async -> Void = {}) async -> Capture {
        var blocks: [AudioBlock] = []
        var error: (any Error)?
        do {
            for try await block in tap.blocks {
                blocks.append(block)
                await afterEach()
            }
        } catch let failure {
            error = failure
        }
        if let error, !(error is CaptureError || error is CancellationError) { Issue.record(error) }
        return Capture(blocks: blocks, error: error as? CaptureError, statistics: tap.statistics)
    }

    /// Captures a device's whole sound, and expects what holds for every capture.
    static func whole(
        of device: FakeDevice, _ configuration: CaptureConfiguration = .fake(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Capture {
        let tap = device.tap(configuration)
        try await tap.start()
        await device.settled()
        await tap.stop()
        let capture = await Capture.reading(tap)
        capture.expectLedger(sourceLocation: sourceLocation)
        #expect(device.figures.closes == 1, sourceLocation: sourceLocation)
        #expect(!device.figures.brokeOff, "the tap spins or does not end", sourceLocation: sourceLocation)
        return capture
    }

    /// What was captured was delivered or counted as dropped, and blocks stand one behind the other.
    func expectLedger(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            statistics.samplesCaptured == statistics.samplesDelivered + statistics.samplesDropped,
            sourceLocation: sourceLocation)
        #expect(statistics.samplesDelivered == Int64(samples.count), sourceLocation: sourceLocation)
        var end: Int64 = 0
        for block in blocks {
            guard let position = block.position else {
                Issue.record("a block without a position", sourceLocation: sourceLocation)
                continue
            }
            #expect(position >= end, sourceLocation: sourceLocation)
            #expect(!block.samples.isEmpty, sourceLocation: sourceLocation)
            end = position + Int64(block.samples.count)
        }
    }

    /// Expects that what the device gave was delivered, all of it, each sample within `tolerance` of its time. The device's rate must be
    /// that of the capture.
    func expectTruth(_ device: FakeDevice, tolerance: Int64 = 0, sourceLocation: SourceLocation = #_sourceLocation) {
        expectTruthOfFirst(.max, device, tolerance: tolerance, sourceLocation: sourceLocation)
    }

    /// The same for a capture that ended after so many samples.
    func expectTruthOfFirst(
        _ count: Int, _ device: FakeDevice, tolerance: Int64 = 0, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var frames: [Int] = []
        for range in device.figures.read { frames += Array(range) }
        frames.removeLast(max(0, frames.count - count))
        expectSame(samples, frames.map(FakeDevicePlan.number), "than the device gave", sourceLocation: sourceLocation)
        var index = 0
        for block in blocks {
            guard let position = block.position, index < frames.count else { break }
            #expect(
                abs(position - Int64(frames[index])) <= tolerance, "\(block.samples.count) samples",
                sourceLocation: sourceLocation)
            index += block.samples.count
        }
    }
}

extension CaptureSession {
    /// Whether the reader has taken all that was captured.
    var isReadUp: Bool { ring.samplesConsumed == ring.samplesWritten }
}

extension CaptureTap {
    /// The error that a start gives.
    func refusal() async -> CaptureError? {
        do throws(CaptureError) {
            try await start()
            return nil
        } catch {
            return error
        }
    }
}

extension CaptureConfiguration {
    /// With a buffer that holds all that most tests capture, and no more: it takes time to make.
    /// A reader is woken for all of it: the device falls silent without an end.
    static func fake(bufferDuration: Double = 12, sampleLimit: Int64? = nil) -> CaptureConfiguration {
        CaptureConfiguration(
            device: "fake", blockDuration: 0, bufferDuration: bufferDuration, sampleLimit: sampleLimit)
    }
}

/// `#expect(==)` would look for a shortest way from the one to the other, which takes minutes with so many samples.
func expectSame(
    _ samples: [Int16], _ expected: [Int16], _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    guard samples != expected else { return }
    let index = zip(samples, expected).enumerated().first { $1.0 != $1.1 }?.offset
    Issue.record(
        "\(samples.count) samples, not \(expected.count), and others from \(index.map(String.init) ?? "the end") on \(comment)",
        sourceLocation: sourceLocation)
}
