/// The settings of a `CaptureTap`: the device, and the format of the captured samples.
public struct CaptureConfiguration: Hashable, Sendable {
    /// The ALSA PCM to open: `default`, `hw:1`, `plughw:CARD=Headset`, `pulse`, or any other that `arecord -L` lists.
    public var device: String
    /// The sample rate of the captured samples, in Hz.
    public var sampleRate: Int
    /// Which of the device's channels to use.
    public var channels: ChannelSelection
    /// The sample rate to request from the device, in Hz; the device takes the nearest that it supports. Most
    /// converters run at 48 kHz.
    public var deviceSampleRate: Int
    /// The number of channels to request from the device; `nil` for the fewest that include the selected channel.
    public var deviceChannelCount: Int?
    /// The interval at which the device is read, in seconds; the device takes the nearest that it supports.
    public var periodDuration: Double
    /// The shortest block for which a reader is woken while the sound goes on, in seconds; the first comes at once, and after two seconds
    /// of quiet a block is four times as long. To wake a reader costs more than to read a period.
    public var blockDuration: Double
    /// The duration of sound to keep for a reader that falls behind, in seconds; beyond it the oldest samples are
    /// dropped. The default of one minute is longer than any model takes to load.
    public var bufferDuration: Double
    /// The number of samples after which the capture ends by itself; `nil` for no limit.
    public var sampleLimit: Int64?

    /// Creates a configuration. The defaults capture the default device, mixed to mono at 16 kHz.
    public init(
        device: String = "default", sampleRate: Int = 16_000, channels: ChannelSelection = .mix,
        deviceSampleRate: Int = 48_000, deviceChannelCount: Int? = nil, periodDuration: Double = 0.03,
        blockDuration: Double = 0.025, bufferDuration: Double = 60, sampleLimit: Int64? = nil
    ) {
        self.device = device
        self.sampleRate = sampleRate
        self.channels = channels
        self.deviceSampleRate = deviceSampleRate
        self.deviceChannelCount = deviceChannelCount
        self.periodDuration = periodDuration
        self.blockDuration = blockDuration
        self.bufferDuration = bufferDuration
        self.sampleLimit = sampleLimit
    }

    /// The number of blocks that are as long together as `bufferDuration`, at least one.
    package var bufferedBlockCount: Int { max(1, Int(bufferDuration / max(periodDuration, blockDuration))) }

    /// The number of channels to request from the device.
    var wantedChannelCount: Int {
        if let deviceChannelCount { return max(1, deviceChannelCount) }
        return if case .channel(let channel) = channels { max(0, channel) + 1 } else { 1 }
    }
}
