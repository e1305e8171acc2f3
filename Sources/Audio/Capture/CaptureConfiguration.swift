/// What a `CaptureTap` captures, and how.
public struct CaptureConfiguration: Hashable, Sendable {
    /// An ALSA PCM: `default`, `hw:1`, `plughw:CARD=Headset`, `pulse`, or any other that `arecord -L` lists.
    public var device: String
    /// Samples a second of what comes out, in Hz.
    public var sampleRate: Int
    /// Which of the device's channels to hear.
    public var channels: ChannelSelection
    /// What the device is asked for, in Hz; the nearest that it has is taken. Most converters' own rate is 48 kHz.
    public var deviceSampleRate: Int
    /// How many channels the device is asked for; `nil` for the fewest that it has and that hold the wanted one.
    public var deviceChannelCount: Int?
    /// How often the device is read, in seconds; the nearest that it can is taken.
    public var periodDuration: Double
    /// How much is kept for a reader that falls behind, in seconds; after that the oldest goes. A minute is longer than any model takes
    /// to load.
    public var bufferDuration: Double
    /// After so many samples the capture ends by itself; `nil` for never.
    public var sampleLimit: Int64?

    public init(
        device: String = "default", sampleRate: Int = 16_000, channels: ChannelSelection = .mix,
        deviceSampleRate: Int = 48_000, deviceChannelCount: Int? = nil, periodDuration: Double = 0.01,
        bufferDuration: Double = 60, sampleLimit: Int64? = nil
    ) {
        self.device = device
        self.sampleRate = sampleRate
        self.channels = channels
        self.deviceSampleRate = deviceSampleRate
        self.deviceChannelCount = deviceChannelCount
        self.periodDuration = periodDuration
        self.bufferDuration = bufferDuration
        self.sampleLimit = sampleLimit
    }

    /// How many channels to ask for.
    var wantedChannelCount: Int {
        if let deviceChannelCount { return max(1, deviceChannelCount) }
        return if case .channel(let channel) = channels { max(0, channel) + 1 } else { 1 }
    }
}
