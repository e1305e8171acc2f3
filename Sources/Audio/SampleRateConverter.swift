import CSampleRate

/// The channels of a frame that become the one channel of the recognizer.
public enum ChannelSelection: Hashable, Sendable {
    /// The average of all channels.
    case mix
    /// The channel with this index; the first is 0.
    case channel(Int)
}

/// Converts interleaved frames of any rate and channel count to mono 16-bit samples at the recognizer's rate.
///
///     var converter = try SampleRateConverter(from: 48_000, channelCount: 2, to: 16_000)
///     var samples: [Int16] = []
///     while let frames = nextBlock() {                     // [Float], full scale ±1.0
///         try converter.convert(frames, appendingTo: &samples)
///     }
///     try converter.finish(appendingTo: &samples)
///
/// The state is kept across blocks, so the division of a stream into blocks does not change the output. The output is
/// aligned with the input in time: sample `n` belongs to the instant `n / outputRate` of the input. A stream of
/// `frames` frames gives exactly `frames × outputRate / inputRate` samples, rounded to the nearest integer (a half is
/// rounded up).
///
/// If both rates are equal, libsamplerate is not used, and a 16-bit sample that came as `x / 32768` leaves unchanged.
///
/// After `init`, ``convert(_:into:)`` and ``finish(into:)`` allocate nothing, lock nothing and wait for nothing, so a
/// real-time thread may call them.
public struct SampleRateConverter: ~Copyable {
    /// 90 % of the band below half of the lower rate survives: up to 7.2 kHz for a recognizer at 16 kHz, which changes no text of the
    /// fixtures. One channel of 48 kHz takes about 1 % of a core, a third of what 97 % would take.
    private static let quality = Int32(SRC_SINC_MEDIUM_QUALITY)

    /// The number of input frames per second, in Hz.
    public let inputRate: Int
    /// The number of output samples per second, in Hz.
    public let outputRate: Int
    /// The number of samples in one frame.
    public let channelCount: Int
    /// The channels that are converted.
    public let channels: ChannelSelection

    /// The number of frames taken since the start or the last finish.
    public private(set) var framesConsumed: Int64 = 0
    /// The number of samples returned since the start or the last finish.
    public private(set) var samplesProduced: Int64 = 0

    private let calls: SampleRateCalls
    /// NULL if the rates are equal. Made in `init`, freed in `deinit`, and used by this value only.
    private let state: OpaquePointer?
    /// The mono input of one step.
    private let mono: UnsafeMutableBufferPointer<Float>
    /// The output of one step before it is rounded.
    private let converted: UnsafeMutableBufferPointer<Float>
    private var isFinishing = false

    /// Creates a converter for one stream.
    ///
    /// - Parameters:
    ///   - inputRate: the number of frames per second, 1000 to 768000 Hz.
    ///   - channelCount: the number of samples in one frame, 1 to 64.
    ///   - channels: which of the channels to convert.
    ///   - outputRate: the number of samples per second, 1000 to 768000 Hz, within 256 times of `inputRate`.
    ///   - maximumFrameCount: the most frames to convert in one step. Longer blocks take several steps.
    /// - Throws: `SampleRateError` if a rate, the channel count, a channel or the ratio is out of range, or if
    ///   libsamplerate has no memory.
    ///
    /// C: `src_new`
    public init(
        from inputRate: Int, channelCount: Int = 1, channels: ChannelSelection = .mix, to outputRate: Int,
        maximumFrameCount: Int = 4096
    ) throws(SampleRateError) {
        try self.init(
            from: inputRate, channelCount: channelCount, channels: channels, to: outputRate,
            maximumFrameCount: maximumFrameCount, calls: .library)
    }

    init(
        from inputRate: Int, channelCount: Int, channels: ChannelSelection, to outputRate: Int,
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
            guard let made = calls.new(Self.quality, 1, &failure) else {
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

    /// The number of samples still to come for the frames taken so far: exactly what a finish now would return.
    public var samplesOwed: Int {
        @_noLocks
        get {
            let whole = framesConsumed / Int64(inputRate) * Int64(outputRate)
            let rest = framesConsumed % Int64(inputRate) * Int64(outputRate)
            return Int(whole + (rest + Int64(inputRate) / 2) / Int64(inputRate) - samplesProduced)
        }
    }

    /// Returns the most samples that one ``convert(_:into:)`` of `frameCount` frames writes, provided that every
    /// earlier call had room for all of its own.
    public func capacity(forFrames frameCount: Int) -> Int {
        Self.samples(forFrames: frameCount, inputRate, outputRate)
    }

    private static func samples(forFrames frameCount: Int, _ inputRate: Int, _ outputRate: Int) -> Int {
        (frameCount * outputRate + inputRate - 1) / inputRate + 1
    }

    /// Converts as many frames as `output` has room for.
    ///
    /// - Parameters:
    ///   - input: whole interleaved frames, full scale ±1.0. NaN counts as silence.
    ///   - output: the place for the samples, which must not overlap `input`.
    /// - Returns: the number of frames taken and of samples written. All frames are taken unless `output` is full; the
    ///   caller passes the others again.
    /// - Throws: `SampleRateError` if libsamplerate fails. The converter is of no use then.
    ///
    /// C: `src_process`
    public mutating func convert(
        _ input: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Int16>
    ) throws(SampleRateError) -> (framesConsumed: Int, samplesProduced: Int) {
        let step = convertOrFail(input, into: output)
        if let failure = step.failure { throw failure.error }
        return (step.taken, step.written)
    }

    /// Writes the samples that are still owed. After the last one, the converter is ready for another stream.
    ///
    /// - Returns: the number of samples written; 0 if there are no more. ``samplesOwed`` is the total in advance.
    /// - Throws: `SampleRateError` if libsamplerate fails.
    ///
    /// C: `src_process`, `src_reset`
    public mutating func finish(into output: UnsafeMutableBufferPointer<Int16>) throws(SampleRateError) -> Int {
        let step = finishOrFail(into: output)
        if let failure = step.failure { throw failure.error }
        return step.written
    }

    /// The failure of a step. `throw` is not allowed on a real-time thread by the compiler's check, so a step returns
    /// this.
    struct Failure {
        /// libsamplerate's error number; 0 if it neither converted anything nor reported an error.
        let libraryCode: Int32

        var error: SampleRateError { SampleRateError(.conversionFailed, libraryCode: libraryCode) }
    }

    /// The result of a step, up to its failure if there was one.
    struct Step {
        var taken = 0
        var written = 0
        var failure: Failure?
    }

    /// Does the work of `convert(_:into:)` in a form that the compiler can check for a real-time thread.
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

    /// Does the work of `finish(into:)` in a form that the compiler can check for a real-time thread.
    @_noLocks
    mutating func finishOrFail(into output: UnsafeMutableBufferPointer<Int16>) -> Step {
        // libsamplerate's own end of input gives one sample more or less than is owed. Silence after the last frame
        // brings out the same samples, and exactly as many as requested.
        isFinishing = true
        for index in 0..<mono.count { mono[index] = 0 }
        var done = Step()
        while done.written < output.count, samplesOwed > 0, done.failure == nil {
            let room = min(output.count, done.written + samplesOwed)
            let step = step(
                mono.count, into: UnsafeMutableBufferPointer(start: output.baseAddress, count: room), from: done.written
            )
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

    /// Converts the first `count` samples of `mono` to `output`, from index `start`.
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

    /// Limits one extreme value, which would ring in the filter for long: 24 dB above full scale is enough. NaN becomes
    /// silence.
    private static func limited(_ value: Float) -> Float {
        value.isNaN ? 0 : value > 16 ? 16 : value < -16 ? -16 : value
    }
}

// Sendable: the state and the scratch memory belong to this value alone. It can't be copied, no pointer leaves it, and
// its methods have exclusive access, so it may move from one thread to another.
extension SampleRateConverter: @unchecked Sendable {}

extension SampleRateConverter {
    /// Converts all of `frames` and appends the samples. Not for a real-time thread: the array may grow.
    ///
    /// - Throws: `SampleRateError` if libsamplerate fails.
    public mutating func convert(_ frames: [Float], appendingTo samples: inout [Int16]) throws(SampleRateError) {
        try frames.withUnsafeBufferPointer { (input) throws(SampleRateError) in
            try convert(input, appendingTo: &samples)
        }
    }

    /// Converts all of `frames` and appends the samples. Not for a real-time thread: the array may grow.
    ///
    /// - Throws: `SampleRateError` if libsamplerate fails.
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

    /// Appends the samples that are still owed. The converter is then ready for another stream.
    ///
    /// - Throws: `SampleRateError` if libsamplerate fails.
    public mutating func finish(appendingTo samples: inout [Int16]) throws(SampleRateError) {
        try Self.grow(&samples, by: samplesOwed) { (room) throws(SampleRateError) in try finish(into: room) }
    }

    /// Appends up to `count` samples: the number that `write` returns.
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
