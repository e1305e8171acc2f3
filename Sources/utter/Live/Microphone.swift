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
        /// Whether nothing is to be heard now.
        var isPaused = true
        /// Whether the sound server has given another device in place of this one.
        var isMoved = false
        /// Ends the wait for a device that is opened again.
        var opening: AsyncStream<CaptureTap?>.Continuation?
        /// When the present capture began, in seconds since 1970, where its device was opened again since.
        var startTime: Double?
        /// The samples that could not be heard while the device was opened again.
        var missing: Int64 = 0
        /// What takes the sound of a capture, and passes it on.
        var passing: [Task<Void, Never>] = []
        /// The position of the next capture in the saved file, in samples.
        var savedCount: Int64 = 0
        /// The number of samples that the tap has given, but that were dropped because the recognizer was too slow.
        var droppedBehindTap: Int64 = 0

        var statistics: CaptureStatistics? {
            guard let tap else { return nil }
            var sum = tap.statistics.following(earlier)
            sum.startTime = startTime ?? sum.startTime
            sum.samplesMissing += missing
            sum.samplesDropped += droppedBehindTap
            sum.samplesDelivered -= droppedBehindTap
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
            (state.tap, state.startTime, state.isPaused, state.isMoved) = (tap, nil, false, false)
            return false
        }
        // A device that took long to open is not wanted any more.
        if isOver { return await tap.stop() }
        input.append(saver != nil || isWatched ? passed(tap) : tap.blocks)
        watchServer()
    }

    private var isWatched: Bool { SoundServerWatch.isWatched(configuration.device) }

    private func watchServer() {
        guard isWatched else { return }
        let watching = SoundServerWatch.watch([configuration.device]) { [weak self] _ in self?.openAgain() }
        let earlier = state.withLock { state in
            defer { state.watching = watching }
            return state.watching
        }
        earlier?.cancel()
    }

    /// Opens the device again, because another one is heard. A server moves its listeners when a device goes, but also when one is
    /// plugged in that it likes better.
    private func openAgain() {
        let tap = state.withLock { state -> CaptureTap? in
            if state.isMoved || state.isPaused { return nil }
            state.isMoved = true
            return state.tap
        }
        tap?.requestStop()
    }

    /// Stops listening until `start()`. When this returns, the input has all samples so far.
    func pause() async {
        let (tap, watching, opening) = state.withLock { state in
            state.isPaused = true
            return (state.tap, state.watching, state.opening)
        }
        watching?.cancel()
        opening?.finish()
        await tap?.stop()
        for passing in state.withLock({ $0.passing }) { await passing.value }
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

    /// Saves a tap's blocks and passes them on, and then those of the taps that follow it where the device is opened again. The blocks that
    /// are passed on are buffered for as long as in the tap itself; after that the oldest are dropped.
    private func passed(_ first: CaptureTap) -> any LiveInput.Blocks {
        let (blocks, continuation) = AsyncThrowingStream<AudioBlock, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(configuration.bufferedBlockCount))
        let passing = Task { [self] in
            let start = state.withLock { $0.savedCount }
            var tap = first
            // The ends of what was passed on, and of what the taps before the present one have given.
            var (end, offset): (Int64, Int64) = (0, 0)
            do {
                while true {
                    for try await var block in tap.blocks {
                        if tap !== first, offset == end { offset = place(of: tap, after: first, end) }
                        let position = offset + (block.position ?? end - offset)
                        block.position = position
                        saver?.write(block.samples, at: start + position)
                        end = position + Int64(block.samples.count)
                        if case .dropped(let oldest) = continuation.yield(block) {
                            state.withLock { $0.droppedBehindTap += Int64(oldest.samples.count) }
                        }
                    }
                    guard let next = try await replacement(for: tap, from: first, at: end) else { break }
                    (tap, offset) = (next, end)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
            state.withLock { $0.savedCount = start + end }
        }
        state.withLock { $0.passing.append(passing) }
        return blocks
    }

    /// Where the first sample of a tap stands behind those of the first, so that later times stay true.
    private func place(of tap: CaptureTap, after first: CaptureTap, _ end: Int64) -> Int64 {
        guard let start = first.statistics.firstSampleTime, let now = tap.statistics.firstSampleTime else { return end }
        let place = max(end, Int64(((now - start) * Double(configuration.sampleRate)).rounded()))
        state.withLock { $0.missing += place - end }
        return place
    }

    /// Opens the device again where the sound server has given another one in its place.
    ///
    /// - Returns: nil where the capture has ended as it should.
    /// - Throws: `CaptureError` when the device has gone.
    private func replacement(
        for tap: CaptureTap, from first: CaptureTap, at end: Int64
    ) async throws(CaptureError) -> CaptureTap? {
        guard state.withLock({ $0.isMoved && !$0.isPaused }) else { return nil }
        await tap.stop()
        var configuration = configuration
        if let limit = configuration.sampleLimit {
            if end >= limit { return nil }
            configuration.sampleLimit = limit - end
        }
        guard await SoundServerWatch.isThere(configuration.device) else {
            throw CaptureError(.unplugged, device: configuration.device)
        }
        // A sound server that does not answer may hold up an opening for ever, but no pause.
        let (taps, opening) = AsyncStream.makeStream(of: CaptureTap?.self)
        if state.withLock({ state in
            state.opening = opening
            return state.isPaused
        }) {
            opening.finish()
        }
        Task { [configuration] in
            let tap = CaptureTap(configuration)
            let isOpen = (try? await tap.start()) != nil
            if case .terminated = opening.yield(isOpen ? tap : nil) { await tap.stop() }
        }
        for await next in taps {
            guard let next else { throw CaptureError(.unplugged, device: configuration.device) }
            let isPaused = state.withLock { state in
                state.earlier = tap.statistics.following(state.earlier)
                (state.tap, state.isMoved) = (next, false)
                state.startTime = state.startTime ?? first.statistics.startTime
                return state.isPaused
            }
            // What it has heard until now is heard.
            if isPaused { await next.stop() }
            return next
        }
        return nil
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
