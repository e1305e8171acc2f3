import Dispatch
import TestSupport

@testable import Models
@testable import Speech

/// Counts what happens, for a test to wait for.
final class Events: Sendable {
    private let state = Awaited(0)

    var count: Int { state.state }

    func happen() { state.withLock { $0 += 1 } }

    /// Returns once the event has happened `count` times.
    func wait(for count: Int = 1) async { await state.wait { $0 >= count } }
}

/// Input that a test gives piece by piece.
struct Feed: Sendable {
    let sequence: AsyncStream<AnalyzerInput>
    /// Happens when the input is no longer read.
    let ended = Events()
    private let continuation: AsyncStream<AnalyzerInput>.Continuation

    init() {
        (sequence, continuation) = AsyncStream.makeStream()
        continuation.onTermination = { [ended] _ in ended.happen() }
    }

    func give(_ samples: [Int16]) { continuation.yield(AnalyzerInput(samples: samples, sampleRate: 16_000)) }
    func end() { continuation.finish() }
}

/// Blocks an engine's thread until the test opens the gate.
final class ThreadGate: Sendable {
    let reached = Events()
    private let semaphore = DispatchSemaphore(value: 0)

    func pass() {
        reached.happen()
        semaphore.wait()
    }

    func open() { semaphore.signal() }
}

/// A load of the built-in model that waits until the test allows it.
struct HeldLoad: Sendable {
    let begun = Events(), mayEnd = Events(), ended = Events()
    private let calls: VoskCalls

    init(_ calls: VoskCalls) { self.calls = calls }

    func engine() async throws -> any SpeechEngine {
        begun.happen()
        await mayEnd.wait()
        defer { ended.happen() }
        return try VoskModel(folder: ModelFolder(path: Fixture.modelPath), endpointing: Endpointing(), calls: calls)
    }
}

func time(_ samples: Int) -> AudioTime { AudioTime(sampleCount: Int64(samples), sampleRate: 16_000) }
