import CALSA
import Glibc
import Synchronization

/// What a tap, its thread and its reader share. Whoever of them is left last frees it.
final class CaptureSession: Sendable {
    typealias Opening = @Sendable (CaptureConfiguration) throws(CaptureError) -> CaptureDevice

    private struct State {
        var format: AudioFormat?
        /// Whether the thread has done its work.
        var hasEnded = false
        var endWaiters: [CheckedContinuation<Bool, Never>] = []
    }

    let configuration: CaptureConfiguration
    let ring: SampleRing
    let gaps = CaptureGaps()
    let counters = CaptureCounters()
    /// Wakes the reader.
    let wakeUp = WakeUp()
    /// An eventfd that wakes the capture thread.
    private let control: Int32
    /// Why an eventfd could not be made, where one could not.
    private let descriptorError: Int32
    private let open: Opening
    private let state = Mutex(State())
    private let reader = Mutex(CaptureReader())

    /// C: `eventfd`
    init(_ configuration: CaptureConfiguration, open: @escaping Opening) {
        self.configuration = configuration
        self.open = open
        ring = SampleRing(
            minimumCapacity: max(1, Int(configuration.bufferDuration * Double(configuration.sampleRate))))
        control = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        descriptorError = errno
    }

    deinit { close(control) }

    var format: AudioFormat? { state.withLock { $0.format } }

    /// Why the capture ended; `nil` while it goes on.
    var end: CaptureEnd? { CaptureEnd(packed: counters.end.load(ordering: .acquiring)) }

    /// What the reader gets next; `nil` when there is nothing now.
    func nextBlock() -> AudioBlock? { reader.withLock { $0.next(of: self) } }

    /// Asks the thread to end.
    func requestStop() {
        counters.stopRequested.store(true, ordering: .releasing)
        capture_write_wake_up(control)
    }

    /// Returns when the thread has done its work, or the limit is over.
    ///
    /// - Returns: whether it has.
    func waitForEnd(limit: Duration) async -> Bool {
        let watch = Task { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.release(hasEnded: false)
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.endWaiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume(returning: true) }
        }
    }

    private func release(hasEnded: Bool) {
        let waiters = state.withLock { state in
            if hasEnded { state.hasEnded = true }
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in waiters { waiter.resume(returning: hasEnded) }
    }

    /// The thread's work.
    ///
    /// - Parameter started: told once, when the device has been started or could not be.
    func run(started: (CaptureError?) -> Void) {
        do throws(CaptureError) {
            try capture(started)
            finish()
        } catch {
            finish()
            started(error)
        }
    }

    private func capture(_ started: (CaptureError?) -> Void) throws(CaptureError) {
        if control < 0 || wakeUp.descriptor < 0 {
            throw CaptureError(.failed, device: configuration.device, errno: descriptorError)
        }
        let device = try open(configuration)
        defer { device.close(device.pcm) }
        var loop = try makeLoop(device)
        let (result, messages) = ALSAMessages.collecting { loop.start() }
        if result < 0 { throw CaptureError(opening: configuration.device, result: result, messages: messages) }
        Self.silenceAndPrioritize(device, counters)
        started(nil)
        _ = loop.run()
    }

    /// There will be nothing more: nobody waits any longer. Also for a capture that never began.
    func finish() {
        endReading()
        release(hasEnded: true)
    }

    /// The reader is at the end when it has read what is there.
    func endReading() {
        if end == nil { counters.end.store(CaptureEnd(reason: .stopped).packed(), ordering: .releasing) }
        wakeUp.signal()
    }

    private func makeLoop(_ device: CaptureDevice) throws(CaptureError) -> CaptureLoop {
        let converter: SampleRateConverter
        do throws(SampleRateError) {
            converter = try SampleRateConverter(
                from: device.sampleRate, channelCount: device.channelCount, channels: configuration.channels,
                to: configuration.sampleRate, maximumFrameCount: device.periodLength)
        } catch {
            throw CaptureError(.unsupportedFormat, device: configuration.device, messages: [error.description])
        }
        state.withLock {
            $0.format = AudioFormat(
                sampleRate: device.sampleRate, channelCount: device.channelCount, encoding: device.encoding.audioEncoding)
        }
        return CaptureLoop(
            device, ring: ring, gaps: gaps, counters: counters, control: control, wakeUp: wakeUp.descriptor,
            converter: converter, sampleLimit: configuration.sampleLimit)
    }

    /// Asks for real-time priority where that is safe. A plug-in that spins would meet RLIMIT_RTTIME there, and the whole
    /// process would die of SIGXCPU.
    private static func silenceAndPrioritize(_ device: CaptureDevice, _ counters: CaptureCounters) {
        ALSAMessages.silence()
        guard device.isHardware else { return }
        counters.hasRealTimePriority.store(RealTimePriority.take(), ordering: .relaxed)
    }
}
