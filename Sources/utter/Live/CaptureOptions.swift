import Audio

/// The options about the microphone, which several commands have.
struct CaptureOptions: Equatable, Sendable {
    /// The ALSA name of the device.
    var device: String
    var channels: ChannelSelection
    /// The sample rate to ask the device for, in Hz; nil for the default.
    var deviceRate: Int?
    /// The number of channels to ask the device for; nil for the fewest.
    var deviceChannelCount: Int?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        device = arguments[Self.device] ?? "default"
        channels = arguments[Self.channels] ?? .mix
        deviceRate = arguments[Self.deviceRate]
        deviceChannelCount = arguments[Self.deviceChannelCount]
        if case .channel(let channel) = channels, let deviceChannelCount, channel >= deviceChannelCount {
            throw arguments.specification.usageError(
                "--channel \(channel + 1) is more than --device-channels \(deviceChannelCount)")
        }
    }

    var configuration: CaptureConfiguration {
        var configuration = CaptureConfiguration(
            device: Self.device(device), channels: channels, deviceChannelCount: deviceChannelCount)
        if let deviceRate { configuration.deviceSampleRate = deviceRate }
        return configuration
    }

    /// The name of the device for the sound that this machine plays.
    static let monitor = "monitor"

    /// The ALSA name of a device that a user has named.
    static func device(_ name: String) -> String {
        // What PulseAudio and PipeWire call the monitor of the standard output.
        name == monitor ? "pulse:@DEFAULT_MONITOR@" : name
    }

    /// What a user calls a device with this ALSA name.
    static func shownName(_ device: String) -> String { device == Self.device(monitor) ? monitor : device }

    /// Whether a device, by its ALSA name, gives the sound that this machine plays.
    static func isMonitor(_ device: String) -> Bool {
        device == Self.device(monitor) || device.hasPrefix("pulse:") && device.hasSuffix(".monitor")
    }

    static let all: [any OptionKey] = [device, channels, deviceRate, deviceChannelCount]

    static let device = Option<String>(
        "device", short: "d", "DEVICE", .device,
        help:
            "The capture device: any that utter devices lists, or another of ALSA's. Without it that of UTTER_DEVICE, or default."
    )
    static let channels = Option<ChannelSelection>(
        "channel", "N", help: "Hear only channel N, counted from 1, or the mix of all, which is the default.")
    static let deviceRate = Option<Int>(
        "device-rate", "HZ", 1000...768_000,
        help: "The sample rate to ask the device for; 48000 unless given. It takes the nearest that it has.")
    static let deviceChannelCount = Option<Int>(
        "device-channels", "N", 1...64, help: "How many channels to ask the device for; the fewest unless given.")
}
