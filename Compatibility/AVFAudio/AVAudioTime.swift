/// The place of a frame in a stream.
public final class AVAudioTime: Sendable {
    /// The number of frames before it.
    public let sampleTime: AVAudioFramePosition
    /// The number of frames per second, in Hz.
    public let sampleRate: Double
    /// Whether `sampleTime` means something: always.
    public var isSampleTimeValid: Bool { true }
    /// Whether there is a time of the machine's clock: never.
    public var isHostTimeValid: Bool { false }
    /// The time of the machine's clock: 0, which is not known.
    public var hostTime: UInt64 { 0 }

    /// Creates the time of a frame.
    ///
    /// - Parameters:
    ///   - sampleTime: the number of frames before it.
    ///   - sampleRate: the number of frames per second, in Hz.
    public init(sampleTime: AVAudioFramePosition, atRate sampleRate: Double) {
        (self.sampleTime, self.sampleRate) = (sampleTime, sampleRate)
    }
}
