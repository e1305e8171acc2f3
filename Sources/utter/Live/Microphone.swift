import Audio
import Synchronization

/// The microphone of a command: several captures, with pauses between them, as one input for an analyzer.
///
/// A command starts it before anything else, so that words spoken while a model loads are kept.
final class Microphone: Sendable {
    private struct State {
        var tap: CaptureTap?
        /// The sum of the statistics of the captures before the present one.
        var earlier: CaptureStatistics?
        /// Sees whether a sound server gives another device in place of this one.
        var watching: Task<Void, Never>?
        /// Whether it was stopped for good.
        var isOver = false
        var savers: [Task<Void, Never>] = []
        /// The position of the next capture in the saved file, in samples.
        var savedCount: Int64 = 0
        /// The number of samples that are in the file but were dropped because the recognizer was too slow.
        var droppedBehindSaving: Int64 = 0

        var statistics: CaptureStatistics? {
            guard let tap else { return nil }
            var sum = tap.statistics.following(earlier)
            sum.samplesDropped += droppedBehindSaving
            sum.samplesDelivered -= droppedBehindSaving
            return sum
        }
    }

    let configuration: CaptureConfiguration
    let input: LiveInput
    private let saver: AudioSaver?
    private let state = Mutex(State())

    /// Creates a microphone that is not started. The saver gets all samples, however slow the recognizer is.
    init(_ configuration: CaptureConfiguration, input: LiveInput, saver: AudioSaver? = nil) {
        self.configuration = configuration
        self.input = input
        self.saver = saver
    }

    /// Starts to listen, for the first time or after a pause.
    func start() async throws(CaptureError) {
        let tap = CaptureTap(configuration)
        try await tap.start()
        let isOver = state.withLock { state in
            if state.isOver { return true }
            state.earlier = state.tap?.statistics.following(state.earlier)
            state.tap = tap
            return false
        }
        // A device that took long to open is not wanted any more.
        if isOver { return await tap.stop() }
        input.append(saver.map { saved(tap, by: $0) } ?? tap.blocks)
        watchServer(tap)
    }

    /// A device that the user has named is not replaced by another one, which may hear what is not meant for it. The server may choose any
    /// that has no name.
    private func watchServer(_ tap: CaptureTap) {
        guard SoundServerWatch.namedSource(configuration.device) != nil else { return }
        let watching = SoundServerWatch.watch([configuration.device]) { [weak tap] _ in tap?.unplug() }
        let earlier = state.withLock { state in
            defer { state.watching = watching }
            return state.watching
        }
        earlier?.cancel()
    }

    /// Stops listening until `start()`. When this returns, the input has all samples so far.
    func pause() async {
        let (tap, watching) = state.withLock { ($0.tap, $0.watching) }
        watching?.cancel()
        await tap?.stop()
        for saving in state.withLock({ $0.savers }) { await saving.value }
    }

    /// Stops listening for good, and ends the input. The saved file is the caller's to complete.
    func stop() async {
        state.withLock { $0.isOver = true }
        await pause()
        input.finish()
    }

    /// The format of the device; nil before the first start.
    var deviceFormat: AudioFormat? { state.withLock { $0.tap?.deviceFormat } }

    /// The sum of the statistics of all captures, with the level of the present one; nil before the first start.
    var statistics: CaptureStatistics? { state.withLock { $0.statistics } }

    /// Saves a tap's blocks and passes them on. The blocks that are passed on are buffered for as long as in the tap itself; after
    /// that the oldest are dropped.
    private func saved(_ tap: CaptureTap, by saver: AudioSaver) -> any LiveInput.Blocks {
        let (blocks, continuation) = AsyncThrowingStream<AudioBlock, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(configuration.bufferedBlockCount))
        let captured = tap.blocks
        let saving = Task { [self] in
            let start = state.withLock { $0.savedCount }
            var end = start
            do {
                for try await block in captured {
                    let position = start + (block.position ?? end - start)
                    saver.write(block.samples, at: position)
                    end = position + Int64(block.samples.count)
                    if case .dropped(let oldest) = continuation.yield(block) {
                        state.withLock { $0.droppedBehindSaving += Int64(oldest.samples.count) }
                    }
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
            state.withLock { $0.savedCount = end }
        }
        state.withLock { $0.savers.append(saving) }
        return blocks
    }
}

extension CaptureStatistics {
    /// These statistics with the counts of earlier ones added, where there are any.
    func following(_ earlier: CaptureStatistics?) -> CaptureStatistics {
        guard let earlier else { return self }
        var sum = self
        sum.framesCaptured += earlier.framesCaptured
        sum.samplesCaptured += earlier.samplesCaptured
        sum.samplesDelivered += earlier.samplesDelivered
        sum.samplesDropped += earlier.samplesDropped
        sum.samplesMissing += earlier.samplesMissing
        sum.overruns += earlier.overruns
        sum.suspensions += earlier.suspensions
        return sum
    }
}
