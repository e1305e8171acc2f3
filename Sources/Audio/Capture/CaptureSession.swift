import CALSA
import Glibc
import Synchronization

/// The state that a tap, its thread and its reader share. The last of them to let go frees it.
final class CaptureSession: Sendable {
    typealias Opening = @Sendable (CaptureConfiguration) throws(CaptureError) -> CaptureDevice

    private struct State {
        var format: AudioFormat?
        /// Whether the thread has finished its work.
        var hasEnded = false
        /// Whether the thread was waited for in vain.
        var isGivenUp = false
        var endWaiters: [CheckedContinuation<Bool, Never>] = []
    }

    let configuration: CaptureConfiguration
    let ring: SampleRing
    let gaps = CaptureGaps()
    let counters = CaptureCounters()
    let wakeUp = WakeUp()
    /// The eventfd that wakes the capture thread.
    private let control: Int32
    /// The errno of an eventfd that could not be made.
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

    /// Returns the next block for the reader, or `nil` if there is none now.
    func nextBlock() -> AudioBlock? { reader.withLock { $0.next(of: self) } }

    /// Asks the thread to stop.
    func requestStop() {
        counters.stopRequested.store(true, ordering: .releasing)
        capture_write_wake_up(control)
    }

    /// Waits until the thread has finished its work, but no longer than `limit`, and only once in vain.
    ///
    /// - Returns: whether the thread has finished.
    func waitForEnd(limit: Duration) async -> Bool {
        let watch = Task { [weak self] in
            do { try await Task.sleep(for: limit) } catch { return }
            self?.release(hasEnded: false)
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            let (hasEnded, mustWait) = state.withLock { state in
                let mustWait = !state.hasEnded && !state.isGivenUp
                if mustWait { state.endWaiters.append(continuation) }
                return (state.hasEnded, mustWait)
            }
            if !mustWait { continuation.resume(returning: hasEnded) }
        }
    }

    private func release(hasEnded: Bool) {
        let waiters = state.withLock { state in
            if hasEnded { state.hasEnded = true } else { state.isGivenUp = true }
            defer { state.endWaiters = [] }
            return state.endWaiters
        }
        for waiter in waiters { waiter.resume(returning: hasEnded) }
    }

    /// Does the thread's work: opens the device and captures until the end.
    ///
    /// - Parameter started: called once, with `nil` when the device has started, or with the error that prevented it.
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
        var loop = try makeLoop(device)
        let (result, messages) = ALSAMessages.collecting { loop.start() }
        if result < 0 { throw CaptureError(opening: configuration.device, result: result, messages: messages) }
        Self.silenceAndPrioritize(device, counters)
        started(nil)
        _ = loop.run()
        // The loop has borrowed what the device owns.
        _ = consume device
    }

    /// Ends the capture for the reader and for everyone that waits for its end. Also for a capture that never began.
    func finish() {
        endReading()
        release(hasEnded: true)
    }

    /// Ends the sequence of blocks: the reader reaches the end after the samples that are in the ring.
    func endReading() {
        if end == nil { counters.end.store(CaptureEnd(reason: .stopped).packed(), ordering: .releasing) }
        wakeUp.signal()
    }

    private func makeLoop(_ device: borrowing CaptureDevice) throws(CaptureError) -> CaptureLoop {
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
                sampleRate: device.sampleRate, channelCount: device.channelCount,
                encoding: device.encoding.audioEncoding)
        }
        return CaptureLoop(
            device, ring: ring, gaps: gaps, counters: counters, control: control, wakeUp: wakeUp.descriptor,
            converter: converter, blockLength: Int(configuration.blockDuration * Double(configuration.sampleRate)),
            sampleLimit: configuration.sampleLimit)
    }

    /// Asks for real-time priority where that is safe. A plug-in that spins would meet RLIMIT_RTTIME there, and the whole
    /// process would die of SIGXCPU.
    private static func silenceAndPrioritize(_ device: borrowing CaptureDevice, _ counters: CaptureCounters) {
        ALSAMessages.silence()
        guard device.isHardware else { return }
        counters.hasRealTimePriority.store(RealTimePriority.take(), ordering: .relaxed)
    }
}
