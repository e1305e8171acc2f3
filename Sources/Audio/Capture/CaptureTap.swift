import Glibc
import Synchronization

/// Captures sound from a microphone, or from any other PCM that ALSA can open, on its own thread, as mono 16-bit
/// samples at the recognizer's rate.
///
///     let tap = CaptureTap()
///     try await tap.start()                                   // every sample from here on is kept
///     try await analyzer.start(inputSequence: tap.blocks.map { AnalyzerInput(buffer: $0) })
///     …
///     await tap.stop()                                        // the samples until here are still delivered
///     try await analyzer.finalizeAndFinishThroughEndOfInput()
///
/// A reader may begin later, by as much as `CaptureConfiguration.bufferDuration`. After that the oldest samples are
/// dropped and counted, and the positions of the remaining samples stay correct. A tap can be started once; releasing
/// it stops the capture.
///
/// Sound that the device loses, in an xrun or while the machine is suspended, is counted and leaves a gap in the
/// positions, whose length is estimated from the clock. If the device is unplugged, `blocks` throws an error after the
/// last captured sample.
public final class CaptureTap: Sendable {
    private enum Phase {
        case idle
        case started(pthread_t)
        /// The tap was stopped, or could not be started.
        case over
    }

    /// The settings that the tap was created with.
    public let configuration: CaptureConfiguration
    private let session: CaptureSession
    private let phase = Mutex(Phase.idle)
    private let stopLimit: Duration

    /// Creates a tap. It opens no device until `start()`.
    public convenience init(_ configuration: CaptureConfiguration = CaptureConfiguration()) {
        self.init(configuration, open: CaptureDevice.open)
    }

    /// Creates a tap of a test's own device.
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
        // The thread ends by itself, and frees its resources.
        case .started(let thread): pthread_detach(thread)
        case .over: break
        }
    }

    /// Opens the device and starts it. On return the first period is being captured.
    ///
    /// - Throws: `CaptureError` if the device can't be opened, set up or started, or if the tap was already started or
    ///   stopped.
    ///
    /// C: `snd_pcm_open`, `snd_pcm_start`
    public func start() async throws(CaptureError) {
        let error: CaptureError? = await withCheckedContinuation { continuation in
            begin { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    /// Starts as `start()` does, and calls `completion` once, on any thread: with nil when the first period is being captured.
    package func begin(_ completion: @escaping @Sendable (CaptureError?) -> Void) {
        let failure = phase.withLock { phase -> CaptureError? in
            guard case .idle = phase else { return CaptureError(.alreadyUsed, device: configuration.device) }
            let (thread, code) = Self.makeThread { [session] in session.run { completion($0) } }
            phase = thread.map { .started($0) } ?? .over
            if code == 0 { return nil }
            session.finish()
            return CaptureError(.failed, device: configuration.device, errno: code)
        }
        if let failure { completion(failure) }
    }

    /// Asks the capture to stop, and returns at once.
    package func requestStop() { session.requestStop() }

    /// Stops the capture. On return the thread has ended, and every sample captured until now is ready for the reader.
    /// A tap that was not started yet can't be started any more.
    ///
    /// A sound server that hangs may block the thread for ever. After five seconds the method returns without it; the
    /// thread then ends when it can, and the samples that it has delivered until then are the last.
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
            // The thread only has to return.
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    /// The captured sound, for one reader at a time.
    public var blocks: CaptureBlocks { CaptureBlocks(session: session) }

    /// The format that the device gives; `nil` before the start.
    public var deviceFormat: AudioFormat? { session.format }

    /// The statistics of the capture until now. They can be read at any time, from any thread.
    public var statistics: CaptureStatistics {
        let counters = session.counters
        let start = counters.startTime.load(ordering: .relaxed)
        let measured = counters.measuredSampleRate.load(ordering: .relaxed)
        let first = counters.firstSampleTime.load(ordering: .relaxed)
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
            samplesOfSilence: counters.samplesOfSilence.load(ordering: .relaxed),
            firstSampleTime: first == 0 ? nil : Double(first) / 1e9)
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
