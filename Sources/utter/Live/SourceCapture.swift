import Audio
import Synchronization

/// One of several sources that are heard at the same time, on the clock that they share.
///
/// A device that goes is opened again once a second, and its sound goes on at its place; the other sources do not notice. While it is
/// away, and while a device gives no sound at all, as the monitor of outputs that nobody plays to, the input has silence.
final class SourceCapture: LiveCapture {
    enum Event: Sendable {
        /// The device has gone.
        case lost(CaptureError)
        /// The sound server has moved the listening to another source, or plays somewhere else; the device is open again.
        case moved
        /// It is there again, after so many seconds.
        case back(after: Double)
    }

    private struct State {
        var tap: CaptureTap?
        /// The sum of the statistics of the captures before the present one.
        var earlier: CaptureStatistics?
        var clock: SourceClock
        /// When the device went, in samples on the shared clock; nil while it is there.
        var lostAt: Int64?
        /// The samples that the captures had counted as missing by then.
        var countedBefore: Int64 = 0
        /// Since when the device gives no sound, in samples on the shared clock; nil while it does.
        var stalledAt: Int64?
        /// The samples that the source could not hear while the device was away.
        var missing: Int64 = 0
        /// Samples that the recognizer was too slow for.
        var dropped: Int64 = 0
        var isStopping = false
        /// Whether another source is heard than the one that is meant.
        var isMoved = false
        /// Ends the wait for a device that is opened again.
        var opening: AsyncStream<CaptureTap?>.Continuation?
        /// What takes the sound, and what fills silence.
        var tasks: [Task<Void, Never>] = []

        /// The samples that the captures have counted as missing.
        var counted: Int64 { tap?.statistics.following(earlier).samplesMissing ?? 0 }
    }

    let configuration: CaptureConfiguration
    let input: LiveInput
    private let clock: SharedClock
    private let save: @Sendable (AudioBlock) -> Void
    private let report: @Sendable (Event) -> Void
    private let state: Mutex<State>
    private let continuation: AsyncThrowingStream<AudioBlock, any Error>.Continuation

    /// Creates a source that is not started.
    ///
    /// - Parameter save: gets every block, with its position on the shared clock, on any thread, one after another.
    init(
        _ configuration: CaptureConfiguration, clock: SharedClock, save: @escaping @Sendable (AudioBlock) -> Void,
        report: @escaping @Sendable (Event) -> Void
    ) {
        (self.configuration, self.clock, self.save, self.report) = (configuration, clock, save, report)
        state = Mutex(State(clock: SourceClock(sampleRate: configuration.sampleRate)))
        let (blocks, continuation) = AsyncThrowingStream<AudioBlock, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(configuration.bufferedBlockCount))
        self.continuation = continuation
        input = LiveInput(captureEnded: { _ in })
        input.append(blocks)
    }

    func start() async throws(CaptureError) {
        let tap = CaptureTap(configuration)
        try await tap.start()
        let isStopping = state.withLock { state in
            state.tap = tap
            return state.isStopping
        }
        if isStopping { return await tap.stop() }
        let feeding = Task { await feed(tap) }
        let watching = Task { await fillSilence() }
        state.withLock { $0.tasks = [feeding, watching] }
    }

    func pause() async {
        let (tap, opening, isFirst) = state.withLock { state in
            defer { state.isStopping = true }
            return (state.tap, state.opening, !state.isStopping)
        }
        // A sound server that hangs is waited for once.
        guard isFirst else { return }
        opening?.finish()
        await tap?.stop()
        let tasks = state.withLock { $0.tasks }
        await tasks.first?.value
        tasks.last?.cancel()
        await tasks.last?.value
        state.withLock { state in
            _ = endLoss(&state)
            // A microphone gives sound all the time; what this machine plays may be nothing.
            if let stalledAt = state.stalledAt, !CaptureOptions.isMonitor(configuration.device) {
                state.missing += max(0, state.clock.end - stalledAt)
            }
        }
    }

    func stop() async {
        await pause()
        continuation.finish()
        input.finish()
    }

    var deviceFormat: AudioFormat? { state.withLock { $0.tap }?.deviceFormat }

    var statistics: CaptureStatistics? {
        state.withLock { state in
            guard let tap = state.tap else { return nil }
            var sum = tap.statistics.following(state.earlier)
            sum.samplesMissing += state.missing
            sum.samplesDropped += state.dropped
            sum.samplesDelivered -= state.dropped
            // The times of the text count from the beginning of the shared clock.
            sum.startTime = clock.timeOfDay
            return sum
        }
    }

    var duration: Double { Double(state.withLock { $0.clock.end }) / Double(configuration.sampleRate) }

    var partsPerMillion: Double? { state.withLock { $0.clock.partsPerMillion } }

    // MARK: Feeding

    private func feed(_ first: CaptureTap) async {
        var tap = first
        while true {
            var failure: CaptureError?
            do {
                for try await block in tap.blocks { take(block, of: tap) }
                if !state.withLock({ $0.isMoved }) { return }
            } catch {
                failure = error as? CaptureError ?? CaptureError(.unplugged, device: configuration.device)
            }
            guard let next = await replacement(for: tap, after: failure) else { return }
            tap = next
        }
    }

    /// Opens the device again, because another source is heard than the one that is meant.
    func openAgain() {
        let tap = state.withLock { state -> CaptureTap? in
            if state.isMoved || state.lostAt != nil || state.isStopping { return nil }
            state.isMoved = true
            return state.tap
        }
        tap?.requestStop()
    }

    private func take(_ block: AudioBlock, of tap: CaptureTap) {
        guard let first = tap.statistics.firstSampleTime else { return }
        let lost = state.withLock { state -> Int64? in
            let start = state.clock.end
            state.stalledAt = nil
            let placed = state.clock.place(block, first: clock.position(of: first, rate: configuration.sampleRate))
            // Silence before the first sound, for the analyzer counts from the first sample that it gets.
            if start == 0, let position = placed.position, position > 0 {
                deliver(
                    AudioBlock(
                        samples: [Int16](repeating: 0, count: Int(position)), sampleRate: configuration.sampleRate,
                        position: 0), &state)
            }
            let lost = endLoss(&state, through: placed.position ?? start)
            deliver(placed, &state)
            return lost
        }
        if let lost { report(.back(after: Double(lost) / Double(configuration.sampleRate))) }
    }

    /// Passes a block on. With the lock held, so that the blocks keep their order.
    private func deliver(_ block: AudioBlock, _ state: inout State) {
        save(block)
        if case .dropped(let oldest) = continuation.yield(block) { state.dropped += Int64(oldest.samples.count) }
    }

    // MARK: A device that goes and comes back

    /// Opens the device again, at once and then once a second until it is there; nil if the command ends before.
    ///
    /// - Parameter error: why the device has gone; nil where another one is heard.
    private func replacement(for tap: CaptureTap, after error: CaptureError?) async -> CaptureTap? {
        if state.withLock({ $0.isStopping }) { return nil }
        if let error { report(.lost(error)) }
        await tap.stop()
        state.withLock { state in
            state.stalledAt = nil
            // One that was opened again in vain is lost since before.
            if state.lostAt == nil { (state.lostAt, state.countedBefore) = (state.clock.end, state.counted) }
        }
        guard let next = await reopened(wasMoved: error == nil) else { return nil }
        // What is lost ends with the first sound, which may come some time after the opening.
        let isStopping = state.withLock { state in
            state.earlier = tap.statistics.following(state.earlier)
            state.tap = next
            state.clock.restart()
            state.isMoved = false
            return state.isStopping
        }
        if isStopping { await next.stop() }
        return next
    }

    /// - Parameter wasMoved: whether the sound server has moved the listening. If the source is there, it has only done that; else the source
    ///   has gone.
    private func reopened(wasMoved: Bool) async -> CaptureTap? {
        let (taps, opening) = AsyncStream.makeStream(of: CaptureTap?.self)
        let isStopping = state.withLock { state in
            state.opening = opening
            return state.isStopping
        }
        if isStopping { opening.finish() }
        // A sound server that does not answer may hold up an opening for ever, but not the end of the command.
        let trying = Task { [configuration, report] in
            var isUntold = wasMoved
            while !Task.isCancelled {
                let tap = CaptureTap(configuration)
                // A server may open another one in its place.
                async let isThere = SoundServerWatch.isThere(configuration.device)
                let isOpen = (try? await tap.start()) != nil
                if await isThere, isOpen {
                    if isUntold { report(.moved) }
                    return _ = opening.yield(tap)
                }
                if isOpen { await tap.stop() }
                if isUntold { report(.lost(CaptureError(.unplugged, device: configuration.device))) }
                isUntold = false
                try? await Task.sleep(for: .seconds(1))
            }
        }
        defer { trying.cancel() }
        for await tap in taps { return tap }
        return nil
    }

    /// Counts what was not heard.
    ///
    /// - Parameter end: where it ends; nil for where there is silence until now.
    /// - Returns: how much that was, in samples; nil where the device was there.
    private func endLoss(_ state: inout State, through end: Int64? = nil) -> Int64? {
        guard let lostAt = state.lostAt else { return nil }
        let length = max(0, (end ?? state.clock.end) - lostAt)
        state.missing += max(0, length - (state.counted - state.countedBefore))
        state.lostAt = nil
        return length
    }

    // MARK: Silence

    /// Gives the input silence while there is no sound, four times a second, so that it does not stand still.
    private func fillSilence() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            state.withLock { state in
                if state.lostAt == nil, isOutOfSound(state) { state.stalledAt = state.stalledAt ?? state.clock.end }
                guard state.lostAt != nil || isOutOfSound(state) else { return }
                // The sound that comes next may have begun a little before.
                let end = clock.now(rate: configuration.sampleRate) - Int64(configuration.sampleRate / 10)
                if let silence = state.clock.silence(through: end) { deliver(silence, &state) }
            }
        }
    }

    /// Whether the device gives nothing, and all that it has given was taken.
    private func isOutOfSound(_ state: State) -> Bool {
        guard let statistics = state.tap?.statistics, statistics.isStalled else { return false }
        return statistics.samplesCaptured == statistics.samplesDelivered + statistics.samplesDropped
    }
}
