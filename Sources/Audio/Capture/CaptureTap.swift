import Glibc
import Synchronization

/// Captures sound from a microphone, or whatever else ALSA can open, on a thread of its own, and hands it over as mono 16-bit
/// samples at the recognizer's rate.
///
///     let tap = CaptureTap()
///     try await tap.start()                                   // every sample from now on is kept
///     try await analyzer.start(inputSequence: tap.blocks.map { AnalyzerInput(buffer: $0) })
///     …
///     await tap.stop()                                        // all up to now is still delivered
///     try await analyzer.finalizeAndFinishThroughEndOfInput()
///
/// A reader may come as late as the buffer is long; then the oldest samples go, are counted, and the positions of what follows stay
/// true. A tap is started once; dropped, it stops.
///
/// Lost sound (an xrun, a suspended machine) is a gap in the positions, as long as the clock says, and is counted. A device that is
/// unplugged ends the blocks with an error, behind everything that was heard.
public final class CaptureTap: Sendable {
    private enum Phase {
        case idle
        case started(pthread_t)
        /// Stopped, or never to be started.
        case over
    }

    public let configuration: CaptureConfiguration
    private let session: CaptureSession
    private let phase = Mutex(Phase.idle)
    private let stopLimit: Duration

    public convenience init(_ configuration: CaptureConfiguration = CaptureConfiguration()) {
        self.init(configuration, open: CaptureDevice.open)
    }

    /// For tests: captures from a device of their own.
    init(
        _ configuration: CaptureConfiguration, stopLimit: Duration = .seconds(5), open: @escaping CaptureSession.Opening
    ) {
        self.configuration = configuration
        self.stopLimit = stopLimit
        session = CaptureSession(configuration, open: open)
    }

    deinit {
        session.requestStop()
        switch phase.withLock({ $0 }) {
        case .idle: session.finish()
        // The thread ends by itself, and frees what it holds.
        case .started(let thread): pthread_detach(thread)
        case .over: break
        }
    }

    /// Opens the device and starts it. On return its first period is being read.
    ///
    /// - Throws: `CaptureError` when the device can't be opened, set up or started.
    ///
    /// C: `snd_pcm_open`, `snd_pcm_start`
    public func start() async throws(CaptureError) {
        let error: CaptureError? = await withCheckedContinuation { continuation in
            let failure = phase.withLock { phase -> CaptureError? in
                guard case .idle = phase else { return CaptureError(.alreadyUsed, device: configuration.device) }
                let (thread, code) = Self.makeThread { [session] in session.run { continuation.resume(returning: $0) } }
                phase = thread.map { .started($0) } ?? .over
                if code == 0 { return nil }
                session.finish()
                return CaptureError(.failed, device: configuration.device, errno: code)
            }
            if let failure { continuation.resume(returning: failure) }
        }
        if let error { throw error }
    }

    /// Stops the capture. On return everything that was captured until now is there for the reader, and the thread is gone. A tap that was
    /// not started is never started then.
    ///
    /// A device may keep a call of ours for ever: a sound server that stands still. After five seconds its thread is left to end
    /// when it can, and what it has handed over is all there is.
    public func stop() async {
        session.requestStop()
        let before = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        if case .idle = before { session.finish() }
        let hasEnded = await session.waitForEnd(limit: stopLimit)
        if !hasEnded { session.endReading() }
        guard case .started(let thread) = before else { return }
        if hasEnded {
            // It has nothing more to do than to return.
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    /// What was captured, for one reader.
    public var blocks: CaptureBlocks { CaptureBlocks(session: session) }

    /// What the device gives; `nil` before the start.
    public var deviceFormat: AudioFormat? { session.format }

    /// How the capture is going, at any time.
    public var statistics: CaptureStatistics {
        let counters = session.counters
        let start = counters.startTime.load(ordering: .relaxed)
        let measured = counters.measuredSampleRate.load(ordering: .relaxed)
        return CaptureStatistics(
            framesCaptured: counters.framesCaptured.load(ordering: .relaxed),
            samplesCaptured: session.ring.samplesWritten,
            samplesDelivered: counters.samplesDelivered.load(ordering: .relaxed),
            samplesDropped: counters.samplesDropped.load(ordering: .relaxed),
            samplesMissing: counters.samplesMissing.load(ordering: .relaxed),
            overruns: counters.overruns.load(ordering: .relaxed),
            suspensions: counters.suspensions.load(ordering: .relaxed),
            level: LevelMeter.level(counters.level.load(ordering: .relaxed)),
            isStalled: counters.isStalled.load(ordering: .relaxed),
            hasRealTimePriority: counters.hasRealTimePriority.load(ordering: .relaxed),
            startTime: start == 0 ? nil : Double(start) / 1e9,
            measuredSampleRate: measured == 0 ? nil : Double(measured),
            samplesOfSilence: counters.samplesOfSilence.load(ordering: .relaxed))
    }

    private final class ThreadBody {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    /// C: `pthread_create`
    private static func makeThread(_ body: @escaping @Sendable () -> Void) -> (thread: pthread_t?, code: Int32) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(ThreadBody(body))
        let code = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return (nil, code)
        }
        return (thread, 0)
    }
}
