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
    static func reading(_ tap: CaptureTap) async -> Capture {
        var blocks: [AudioBlock] = []
        var error: (any Error)?
        do {
            for try await block in tap.blocks { blocks.append(block) }
        } catch let failure {
            error = failure
        }
        return Capture(blocks: blocks, error: error.map { $0 as! CaptureError }, statistics: tap.statistics)
    }

    /// Captures a device's whole sound, and expects what holds for every capture.
    static func whole(
        of device: FakeDevice, _ configuration: CaptureConfiguration = CaptureConfiguration(device: "fake"),
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
        #expect(statistics.samplesCaptured == statistics.samplesDelivered + statistics.samplesDropped, sourceLocation: sourceLocation)
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
        let frames = device.figures.read.flatMap { $0 }
        #expect(samples == frames.map(FakeDevicePlan.number), "other samples than the device gave", sourceLocation: sourceLocation)
        var index = 0
        for block in blocks {
            guard let position = block.position, index < frames.count else { break }
            #expect(abs(position - Int64(frames[index])) <= tolerance, "\(block.samples.count) samples", sourceLocation: sourceLocation)
            index += block.samples.count
        }
    }
}
