import CSampleRate

/// Which channels of a frame become the one channel that a recognizer hears.
public enum ChannelSelection: Hashable, Sendable {
    /// The average of all channels.
    case mix
    /// One channel alone; the first is 0.
    case channel(Int)
}

/// Turns interleaved frames of any rate and channel count into mono 16-bit samples at the recognizer's rate.
///
///     var converter = try SampleRateConverter(from: 48_000, channelCount: 2, to: 16_000)
///     var samples: [Int16] = []
///     while let frames = nextBlock() {                     // [Float], full scale ±1.0
///         try converter.convert(frames, appendingTo: &samples)
///     }
///     try converter.finish(appendingTo: &samples)
///
/// The state is kept across blocks: how a stream is cut into blocks changes nothing in the output. The output is
/// aligned with the input in time: sample `n` stands at the instant `n / outputRate` of the input. In all, `frames`
/// give exactly `frames × outputRate / inputRate` samples, rounded to the nearest whole one (a half goes up).
///
/// Where both rates are equal libsamplerate is not asked, and 16-bit samples that came as `x / 32768` come out as they
/// were.
///
/// After `init` nothing is allocated, locked or waited for by ``convert(_:into:)`` and ``finish(into:)``, so that a
/// real-time thread may call them.
public struct SampleRateConverter: ~Copyable {
    /// How much of the band below the lower rate's half survives, and at what cost.
    public enum Quality: Hashable, Sendable, CaseIterable {
        /// 97 % of the band. 48 kHz to 16 kHz takes three times as long as `medium`.
        case best
        /// 90 % of the band: to 7.2 kHz for a recognizer at 16 kHz. No text in the fixtures changes by it, and one
        /// channel of 48 kHz takes about 1 % of a core.
        case medium
        /// 80 % of the band, in half of the time of `medium`.
        case fastest

        fileprivate var libraryType: Int32 {
            switch self {
            case .best: Int32(SRC_SINC_BEST_QUALITY)
            case .medium: Int32(SRC_SINC_MEDIUM_QUALITY)
            case .fastest: Int32(SRC_SINC_FASTEST)
            }
        }
    }

    /// Frames a second going in, in Hz.
    public let inputRate: Int
    /// Samples a second coming out, in Hz.
    public let outputRate: Int
    /// Samples in one frame.
    public let channelCount: Int
    public let channels: ChannelSelection

    /// Frames taken in since the start or the last finish.
    public private(set) var framesConsumed: Int64 = 0
    /// Samples given out since the start or the last finish.
    public private(set) var samplesProduced: Int64 = 0

    private let calls: SampleRateCalls
    /// NULL where the rates are equal. Made in `init`, ended in `deinit`, seen by nobody else.
    private let state: OpaquePointer?
    /// The mono input of one step.
    private let mono: UnsafeMutableBufferPointer<Float>
    /// The output of one step before it is rounded.
    private let converted: UnsafeMutableBufferPointer<Float>
    private var isFinishing = false

    /// Prepares for a stream.
    /// - Parameters:
    ///   - inputRate: frames a second, 1000 to 768000 Hz.
    ///   - channelCount: samples in one frame, 1 to 64.
    ///   - channels: which of them to hear.
    ///   - outputRate: samples a second, 1000 to 768000 Hz, within 256 times of `inputRate`.
    ///   - quality: see ``Quality``.
    ///   - maximumFrameCount: how many frames are worked on in one step. Longer blocks are taken in several.
    /// - Throws: `SampleRateError` for a rate, a channel count, a channel or a ratio that is out of range, or when
    ///   libsamplerate has no memory.
    ///
    /// C: `src_new`
    public init(
        from inputRate: Int, channelCount: Int = 1, channels: ChannelSelection = .mix, to outputRate: Int,
        quality: Quality = .medium, maximumFrameCount: Int = 4096
    ) throws(SampleRateError) {
        try self.init(
            from: inputRate, channelCount: channelCount, channels: channels, to: outputRate, quality: quality,
            maximumFrameCount: maximumFrameCount, calls: .library)
    }

    init(
        from inputRate: Int, channelCount: Int, channels: ChannelSelection, to outputRate: Int, quality: Quality,
        maximumFrameCount: Int, calls: SampleRateCalls
    ) throws(SampleRateError) {
        let rates = 1_000...768_000
        for rate in [inputRate, outputRate] where !rates.contains(rate) {
            throw SampleRateError(.unsupportedRate, rate)
        }
        guard (1...64).contains(channelCount) else { throw SampleRateError(.unsupportedChannelCount, channelCount) }
        if case .channel(let channel) = channels, !(0..<channelCount).contains(channel) {
            throw SampleRateError(.noSuchChannel, channel, channelCount)
        }
        guard max(inputRate, outputRate) <= 256 * min(inputRate, outputRate) else {
            throw SampleRateError(.unsupportedRatio, inputRate, outputRate)
        }
        precondition(maximumFrameCount > 0, "a step takes at least one frame")

        if inputRate == outputRate {
            state = nil
            converted = UnsafeMutableBufferPointer(start: nil, count: 0)
        } else {
            var failure: Int32 = 0
            guard let made = calls.new(quality.libraryType, 1, &failure) else {
                throw SampleRateError(.converterUnavailable, libraryCode: failure)
            }
            state = made
            converted = .allocate(capacity: Self.samples(forFrames: maximumFrameCount, inputRate, outputRate))
        }
        mono = .allocate(capacity: maximumFrameCount)
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.channelCount = channelCount
        self.channels = channels
        self.calls = calls
    }

    /// C: `src_delete`
    deinit {
        if let state { calls.delete(state) }
        mono.deallocate()
        converted.deallocate()
    }

    /// The samples that are still to come for the frames taken in so far: exactly what a finish now would give.
    public var samplesOwed: Int {
        @_noLocks
        get {
            let whole = framesConsumed / Int64(inputRate) * Int64(outputRate)
            let rest = framesConsumed % Int64(inputRate) * Int64(outputRate)
            return Int(whole + (rest + Int64(inputRate) / 2) / Int64(inputRate) - samplesProduced)
        }
    }

    /// Room for the output of one ``convert(_:into:)`` of `frameCount` frames, where each one before had as much.
    public func capacity(forFrames frameCount: Int) -> Int {
        Self.samples(forFrames: frameCount, inputRate, outputRate)
    }

    private static func samples(forFrames frameCount: Int, _ inputRate: Int, _ outputRate: Int) -> Int {
        (frameCount * outputRate + inputRate - 1) / inputRate + 1
    }

    /// Converts as many frames as `output` has room for.
    /// - Parameters:
    ///   - input: whole interleaved frames, full scale ±1.0. Not-a-number counts as silence.
    ///   - output: where the samples go. It must not overlap `input`.
    /// - Returns: how many frames were taken and how many samples were written. All frames are taken unless `output`
    ///   was filled; those that were not are the caller's to bring again.
    /// - Throws: `SampleRateError` when libsamplerate fails. Call ``reset()`` before the next stream.
    ///
    /// C: `src_process`
    public mutating func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Int16>
    ) throws(SampleRateError) -> (framesConsumed: Int, samplesProduced: Int) {
        let step = convertOrFail(input, into: output)
        if let failure = step.failure { throw failure.error }
        return (step.taken, step.written)
    }

    /// Gives the samples that are still owed. When the last one has been given the converter is ready for another
    /// stream.
    /// - Returns: how many samples were written; 0 when the tail is complete. ``samplesOwed`` says beforehand how many
    ///   will come in all.
    /// - Throws: `SampleRateError` when libsamplerate fails.
    ///
    /// C: `src_process`, `src_reset`
    public mutating func finish(into output: UnsafeMutableBufferPointer<Int16>) throws(SampleRateError) -> Int {
        let step = finishOrFail(into: output)
        if let failure = step.failure { throw failure.error }
        return step.written
    }

    /// Forgets the stream, so that another can begin.
    ///
    /// C: `src_reset`
    public mutating func reset() throws(SampleRateError) {
        if let failure = resetOrFail() { throw failure.error }
    }

    /// libsamplerate's number for what went wrong, 0 when it did nothing and said nothing. The compiler does not count a throw among
    /// what is safe on a real-time thread.
    struct Failure {
        let libraryCode: Int32

        var error: SampleRateError { SampleRateError(.conversionFailed, libraryCode: libraryCode) }
    }

    /// What was done, until the failure if there was one.
    struct Step {
        /// Frames.
        var taken = 0
        /// Samples.
        var written = 0
        var failure: Failure?
    }

    /// `convert(_:into:)`, as the compiler can check it for a real-time thread.
    @_noLocks
    mutating func convertOrFail(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Int16>
    ) -> Step {
        precondition(input.count % channelCount == 0, "a block is whole frames")
        precondition(!isFinishing, "a finish was begun: call finish(into:) until it gives 0")
        let frameCount = input.count / channelCount
        var done = Step()
        while done.taken < frameCount, done.written < output.count, done.failure == nil {
            let count = min(frameCount - done.taken, mono.count)
            downmix(input, from: done.taken, count: count)
            let step = step(count, into: output, from: done.written)
            done.taken += step.taken
            done.written += step.written
            done.failure = step.failure
            framesConsumed += Int64(step.taken)
            samplesProduced += Int64(step.written)
        }
        return done
    }

    /// `finish(into:)`, as the compiler can check it for a real-time thread.
    @_noLocks
    mutating func finishOrFail(into output: UnsafeMutableBufferPointer<Int16>) -> Step {
        // libsamplerate's own end of input gives a sample more or less than is owed. Silence behind the last frame
        // brings out the same samples, and as many of them as we ask for.
        isFinishing = true
        for index in 0..<mono.count { mono[index] = 0 }
        var done = Step()
        while done.written < output.count, samplesOwed > 0, done.failure == nil {
            let room = min(output.count, done.written + samplesOwed)
            let step = step(
                mono.count, into: UnsafeMutableBufferPointer(start: output.baseAddress, count: room), from: done.written)
            done.written += step.written
            done.failure = step.failure
            samplesProduced += Int64(step.written)
        }
        if done.failure == nil, samplesOwed == 0 { done.failure = resetOrFail() }
        return done
    }

    private mutating func resetOrFail() -> Failure? {
        framesConsumed = 0
        samplesProduced = 0
        isFinishing = false
        guard let state else { return nil }
        let code = sample_rate_reset(calls.reset, state)
        return code == 0 ? nil : Failure(libraryCode: code)
    }

    /// Passes the first `count` of `mono` on to `output` from index `start`.
    private func step(_ count: Int, into output: UnsafeMutableBufferPointer<Int16>, from start: Int) -> Step {
        guard let state else {
            let count = min(count, output.count - start)
            for index in 0..<count { output[start + index] = Int16(sample: mono[index]) }
            return Step(taken: count, written: count)
        }
        var data = SRC_DATA()
        data.data_in = UnsafePointer(mono.baseAddress)
        data.input_frames = count
        data.data_out = converted.baseAddress
        data.output_frames = min(converted.count, output.count - start)
        data.src_ratio = Double(outputRate) / Double(inputRate)
        let code = sample_rate_process(calls.process, state, &data)
        guard code == 0, data.input_frames_used > 0 || data.output_frames_gen > 0 else {
            return Step(failure: Failure(libraryCode: code))
        }
        for index in 0..<data.output_frames_gen { output[start + index] = Int16(sample: converted[index]) }
        return Step(taken: data.input_frames_used, written: data.output_frames_gen)
    }

    /// Fills `mono` with `count` frames of `input`.
    private func downmix(_ input: UnsafeBufferPointer<Float>, from start: Int, count: Int) {
        var index = start * channelCount
        switch channels {
        case .channel(let channel):
            index += channel
            for frame in 0..<count {
                mono[frame] = Self.limited(input[index])
                index += channelCount
            }
        case .mix where channelCount == 1:
            for frame in 0..<count { mono[frame] = Self.limited(input[index + frame]) }
        case .mix:
            // In Double the sum of 64 equal samples is exact, so equal channels give the samples of one.
            for frame in 0..<count {
                var sum = 0.0
                for channel in index..<index + channelCount { sum += Double(input[channel]) }
                mono[frame] = Self.limited(Float(sum / Double(channelCount)))
                index += channelCount
            }
        }
    }

    /// Keeps one wild value from ringing in the filter for long: 24 dB above full scale is plenty, and not-a-number is
    /// silence.
    private static func limited(_ value: Float) -> Float {
        value.isNaN ? 0 : value > 16 ? 16 : value < -16 ? -16 : value
    }
}

// Sendable: the state and the scratch memory belong to this value alone. It can't be copied, no pointer leaves it, and
// whoever holds it has exclusive access while a method runs, so it may move from one thread to another.
extension SampleRateConverter: @unchecked Sendable {}

extension SampleRateConverter {
    /// Converts all of `frames` and appends the samples. Not for a real-time thread: the array may grow.
    public mutating func convert(_ frames: [Float], appendingTo samples: inout [Int16]) throws(SampleRateError) {
        try frames.withUnsafeBufferPointer { (input) throws(SampleRateError) in
            try convert(input, appendingTo: &samples)
        }
    }

    /// Converts all of `frames` and appends the samples. Not for a real-time thread: the array may grow.
    public mutating func convert(
        _ frames: UnsafeBufferPointer<Float>, appendingTo samples: inout [Int16]
    ) throws(SampleRateError) {
        var rest = frames
        while !rest.isEmpty {
            try Self.grow(&samples, by: capacity(forFrames: rest.count / channelCount)) {
                (room) throws(SampleRateError) in
                let (taken, written) = try convert(rest, into: room)
                rest = UnsafeBufferPointer(rebasing: rest[(taken * channelCount)...])
                return written
            }
        }
    }

    /// Appends the tail: the samples that are still owed. The converter is then ready for another stream.
    public mutating func finish(appendingTo samples: inout [Int16]) throws(SampleRateError) {
        try Self.grow(&samples, by: samplesOwed) { (room) throws(SampleRateError) in try finish(into: room) }
    }

    /// Appends up to `count` samples: as many as `write` says that it wrote.
    private static func grow(
        _ samples: inout [Int16], by count: Int,
        write: (UnsafeMutableBufferPointer<Int16>) throws(SampleRateError) -> Int
    ) throws(SampleRateError) {
        var failure: SampleRateError?
        samples += [Int16](unsafeUninitializedCapacity: count) { room, written in
            do throws(SampleRateError) {
                written = try write(UnsafeMutableBufferPointer(rebasing: room[..<count]))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
