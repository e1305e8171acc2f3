import Audio
import Foundation
import Synchronization
import System

/// Receives the sound of a node and the time of its first frame, one buffer after the other, on a thread of the engine.
public typealias AVAudioNodeTapBlock = (_ buffer: AVAudioPCMBuffer, _ when: AVAudioTime) -> Void

/// A number of a node's input or output. There is only 0.
public typealias AVAudioNodeBus = Int

/// A source of sound of an engine.
open class AVAudioNode: @unchecked Sendable {
    private struct Tap {
        let frameCount: Int
        let block: AVAudioNodeTapBlock
        /// The samples that do not fill a buffer yet.
        var waiting: [Int16] = []
    }

    private let lock = NSLock()
    /// Used under the lock, so that a tap that was removed is not called any more.
    private var tap: Tap?
    fileprivate let format: AVAudioFormat

    init(format: AVAudioFormat) { self.format = format }

    /// The format of the sound that comes out.
    public func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { format }
    /// The format of the sound that goes in: the same.
    public func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { format }

    /// Has `tapBlock` receive the sound of this node, in place of an earlier block.
    ///
    /// - Parameters:
    ///   - bus: 0.
    ///   - bufferSize: the number of frames of a buffer. The last buffer before a stop has fewer.
    ///   - format: the format of the node. No other is given.
    ///   - tapBlock: receives the buffers. It must not call this node or its engine.
    public func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        lock.withLock { tap = Tap(frameCount: max(1, Int(bufferSize)), block: tapBlock) }
    }

    /// Ends what `installTap(onBus:bufferSize:format:block:)` began.
    public func removeTap(onBus bus: AVAudioNodeBus) { lock.withLock { tap = nil } }

    /// Gives sound to the tap, if there is one.
    ///
    /// - Parameters:
    ///   - samples: the sound.
    ///   - end: the number of samples since the start, with these.
    ///   - isLast: whether a buffer that is not full is given as well.
    fileprivate func give(_ samples: [Int16], end: Int64, isLast: Bool = false) {
        lock.withLock {
            guard var tap else { return }
            tap.waiting += samples
            var start = 0
            while let count = Self.nextCount(tap.waiting.count - start, of: tap.frameCount, isLast) {
                let position = end - Int64(tap.waiting.count - start)
                tap.block(
                    buffer(tap.waiting[start..<start + count]),
                    AVAudioTime(sampleTime: position, atRate: format.sampleRate))
                start += count
            }
            tap.waiting.removeFirst(start)
            self.tap = tap
        }
    }

    private static func nextCount(_ available: Int, of frameCount: Int, _ isLast: Bool) -> Int? {
        if available >= frameCount { return frameCount }
        return isLast && available > 0 ? available : nil
    }

    private func buffer(_ samples: ArraySlice<Int16>) -> AVAudioPCMBuffer {
        let count = AVAudioFrameCount(samples.count)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: count) else {
            preconditionFailure("the initializer never fails")
        }
        buffer.frameLength = count
        for (frame, sample) in samples.enumerated() { buffer[frame, 0] = Float(sample) / 32_768 }
        return buffer
    }
}

/// The microphone of an engine: ALSA's default device, with one channel at 48 kHz.
public final class AVAudioInputNode: AVAudioNode, @unchecked Sendable {}

/// Captures the microphone, and gives it to the tap of `inputNode`. There is nothing to play sound with.
///
/// A start captures from its first sample on, and a stop returns when the tap has had the last one. A device that is lost stops the
/// engine after the last sample that it gave.
public final class AVAudioEngine: @unchecked Sendable {
    /// The microphone.
    public let inputNode: AVAudioInputNode
    /// Whether an engine without work stops by itself. Ignored: it does not.
    public var isAutoShutdownEnabled = false
    private let executor = SerialDispatchExecutor(label: "utter.audio-engine")
    private let running = Mutex<Capture?>(nil)

    /// One capture, from a start to a stop.
    private struct Capture {
        let tap: CaptureTap
        let reading: Task<Void, Never>
        /// Is left when the tap has had the last sample.
        let end: DispatchGroup
    }

    private let configuration: CaptureConfiguration

    /// Creates an engine. It opens no device until a start.
    public convenience init() { self.init(CaptureConfiguration(sampleRate: 48_000)) }

    /// Creates an engine whose microphone is another device.
    package init(_ configuration: CaptureConfiguration) {
        self.configuration = configuration
        let format = AVAudioFormat(
            standardFormatWithSampleRate: Double(configuration.sampleRate), channels: 1)
        guard let format else {
            preconditionFailure("a standard format")
        }
        inputNode = AVAudioInputNode(format: format)
    }

    deinit { running.withLock { $0 }?.reading.cancel() }

    /// Whether the microphone is captured.
    public var isRunning: Bool { running.withLock { $0 != nil } }

    /// Does nothing: a start is as quick without.
    public func prepare() {}

    /// Opens the device and starts it. On return its first samples are being captured. Does nothing if it runs.
    ///
    /// - Throws: `CaptureError`.
    public func start() throws {
        if isRunning { return }
        let tap = CaptureTap(configuration)
        let started = DispatchSemaphore(value: 0)
        let failure = Mutex<CaptureError?>(nil)
        tap.begin { error in
            failure.withLock { $0 = error }
            started.signal()
        }
        started.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        let end = DispatchGroup()
        end.enter()
        // The queue is the engine's own, so that the tap has its sound while a stop waits for it.
        let reading = Task(executorPreference: executor.tasks) { [weak self, inputNode] in
            await Self.read(tap, into: inputNode)
            end.leave()
            self?.forget(tap)
        }
        running.withLock { $0 = Capture(tap: tap, reading: reading, end: end) }
    }

    private static func read(_ tap: CaptureTap, into node: AVAudioInputNode) async {
        var end: Int64 = 0
        do {
            for try await block in tap.blocks {
                end = (block.position ?? end) + Int64(block.samples.count)
                node.give(block.samples, end: end)
            }
        } catch {
            // The device is lost, or the engine is released; the samples until then have been given.
        }
        node.give([], end: end, isLast: true)
    }

    private func forget(_ tap: CaptureTap) {
        running.withLock { running in
            if running?.tap === tap { running = nil }
        }
    }

    /// Stops the microphone. On return the tap has had the last sample.
    public func stop() {
        guard let capture = running.withLock({ $0.take() }) else { return }
        capture.tap.requestStop()
        // A server of sound that hangs is given up by this after some seconds, so that the wait ends.
        Task(executorPreference: executor.tasks) { await capture.tap.stop() }
        capture.end.wait()
    }

    /// Stops the microphone until the next start.
    public func pause() { stop() }

    /// Stops the microphone.
    public func reset() { stop() }
}
