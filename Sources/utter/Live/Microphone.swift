import Audio
import Synchronization

/// The microphone of a command: captures that follow one another, with pauses between them, as one input for an analyzer.
///
/// It is started before anything else, so that the words spoken while a model loads are kept.
final class Microphone: Sendable {
    private struct State {
        var tap: CaptureTap?
        /// Of the captures before the present one.
        var earlier: CaptureStatistics?
        var savers: [Task<Void, Never>] = []
        /// Where the next capture's samples go in the saved file.
        var savedCount: Int64 = 0
        /// Samples that are in the file, and for which the recognizer was too slow.
        var droppedBehindSaving: Int64 = 0

        var statistics: CaptureStatistics? {
            guard let tap else { return nil }
            var sum = earlier.map { $0.followed(by: tap.statistics) } ?? tap.statistics
            sum.samplesDropped += droppedBehindSaving
            sum.samplesDelivered -= droppedBehindSaving
            return sum
        }
    }

    let configuration: CaptureConfiguration
    /// What an analyzer reads.
    let input: LiveInput
    private let saver: AudioSaver?
    private let state = Mutex(State())

    /// - Parameter saver: gets everything that is heard, from the first sample on, however slow the recognizer is.
    init(_ configuration: CaptureConfiguration, input: LiveInput, saver: AudioSaver? = nil) {
        self.configuration = configuration
        self.input = input
        self.saver = saver
    }

    /// Starts to listen, at first or after a pause.
    ///
    /// - Throws: `CaptureError`.
    func start() async throws(CaptureError) {
        let tap = CaptureTap(configuration)
        try await tap.start()
        state.withLock { state in
            state.earlier = state.tap.map { earlier in state.earlier?.followed(by: earlier.statistics) ?? earlier.statistics }
            state.tap = tap
        }
        input.append(saver.map { saved(tap, by: $0) } ?? tap.blocks)
    }

    /// Stops listening. What was heard until now is in the input.
    func pause() async {
        let tap = state.withLock { $0.tap }
        await tap?.stop()
        for saving in state.withLock({ $0.savers }) { await saving.value }
    }

    /// Stops listening for good: the input ends, and the file is whole.
    func stop() async {
        await pause()
        input.finish()
        saver?.finish()
    }

    /// What the device gives, once it was started.
    var deviceFormat: AudioFormat? { state.withLock { $0.tap?.deviceFormat } }

    /// Of all captures together; the level is the present one's.
    var statistics: CaptureStatistics? { state.withLock { $0.statistics } }

    /// Passes a tap's blocks on, and writes them as they come. The recognizer may fall behind the file as far as behind the tap itself; then
    /// the oldest go.
    private func saved(_ tap: CaptureTap, by saver: AudioSaver) -> any LiveInput.Blocks {
        let blockLimit = Int(configuration.bufferDuration / configuration.periodDuration)
        let (blocks, continuation) = AsyncThrowingStream<AudioBlock, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(max(1, blockLimit)))
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
    /// The counts of both, and else what the later one says.
    fileprivate func followed(by later: CaptureStatistics) -> CaptureStatistics {
        var sum = later
        sum.framesCaptured += framesCaptured
        sum.samplesCaptured += samplesCaptured
        sum.samplesDelivered += samplesDelivered
        sum.samplesDropped += samplesDropped
        sum.samplesMissing += samplesMissing
        sum.overruns += overruns
        sum.suspensions += suspensions
        return sum
    }
}
