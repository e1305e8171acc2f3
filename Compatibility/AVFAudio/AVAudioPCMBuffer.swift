/// Sound in memory.
open class AVAudioBuffer {
    /// The format of the sound.
    public let format: AVAudioFormat

    init(format: AVAudioFormat) { self.format = format }

    /// Returns a copy of the sound.
    open func copy() -> Any { AVAudioBuffer(format: format) }
}

/// Samples in memory.
public final class AVAudioPCMBuffer: AVAudioBuffer, @unchecked Sendable {
    /// The most frames that it can hold.
    public let frameCapacity: AVAudioFrameCount
    /// The number of frames that it holds, at most `frameCapacity`.
    public var frameLength: AVAudioFrameCount {
        didSet { precondition(frameLength <= frameCapacity, "a buffer of \(frameCapacity) frames has no more") }
    }
    /// The distance from one sample of a channel to the next, in samples.
    public let stride: Int
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    private let floats: UnsafeMutablePointer<UnsafeMutablePointer<Float>>?
    private let integers: UnsafeMutablePointer<UnsafeMutablePointer<Int16>>?

    /// Creates an empty buffer; never nil.
    public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
        self.frameCapacity = frameCapacity
        frameLength = 0
        let channelCount = Int(format.channelCount)
        stride = format.isInterleaved ? channelCount : 1
        let isInteger = format.commonFormat == .pcmFormatInt16
        byteCount = max(1, Int(frameCapacity) * channelCount) * (isInteger ? 2 : 4)
        memory = .allocate(byteCount: byteCount, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let distance = format.isInterleaved ? 1 : Int(frameCapacity)
        if isInteger {
            floats = nil
            integers = Self.channels(memory, channelCount, distance)
        } else {
            integers = nil
            floats = Self.channels(memory, channelCount, distance)
        }
        super.init(format: format)
    }

    deinit {
        floats?.deallocate()
        integers?.deallocate()
        memory.deallocate()
    }

    /// Returns a copy of the sound, with the same capacity.
    public override func copy() -> Any {
        guard let copy = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frameCapacity) else {
            preconditionFailure("the initializer never fails")
        }
        copy.frameLength = frameLength
        copy.memory.copyMemory(from: memory, byteCount: byteCount)
        return copy
    }

    /// The first sample of each channel; nil if the samples are no floating-point numbers.
    public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? { floats.map { UnsafePointer($0) } }
    /// The first sample of each channel; nil if the samples are no 16-bit integers.
    public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? { integers.map { UnsafePointer($0) } }

    private static func channels<Sample>(
        _ memory: UnsafeMutableRawPointer, _ count: Int, _ distance: Int
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<Sample>> {
        let samples = memory.assumingMemoryBound(to: Sample.self)
        let channels = UnsafeMutablePointer<UnsafeMutablePointer<Sample>>.allocate(capacity: count)
        for channel in 0..<count { (channels + channel).initialize(to: samples + channel * distance) }
        return channels
    }

    /// The sample of a channel in a frame, full scale ±1.0. What is no number is silence.
    subscript(frame: Int, channel: Int) -> Float {
        get {
            expect(frame, channel)
            guard let sample = floats?[channel][frame * stride] else {
                return Float(integers?[channel][frame * stride] ?? 0) / 32_768
            }
            return sample.isNaN ? 0 : sample
        }
        set {
            expect(frame, channel)
            floats?[channel][frame * stride] = newValue
            integers?[channel][frame * stride] = Self.integer(newValue)
        }
    }

    /// Ends the program, rather than use memory behind the buffer's.
    private func expect(_ frame: Int, _ channel: Int) {
        precondition(
            (0..<Int(frameCapacity)).contains(frame) && (0..<Int(format.channelCount)).contains(channel),
            "channel \(channel) of frame \(frame) is not in a buffer of \(frameCapacity) frames of the format \(format)"
        )
    }

    /// Returns the 16-bit sample that is nearest to one of full scale ±1.0; 0 for what is no number.
    static func integer(_ sample: Float) -> Int16 {
        sample.isNaN ? 0 : Int16(max(-32_768, min(32_767, (sample * 32_768).rounded())))
    }

    /// The frames, interleaved, full scale ±1.0.
    var interleaved: [Float] {
        let channelCount = Int(format.channelCount)
        return (0..<Int(frameLength) * channelCount).map { self[$0 / channelCount, $0 % channelCount] }
    }
}
