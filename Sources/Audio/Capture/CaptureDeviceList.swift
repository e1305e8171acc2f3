import CALSA
import Glibc
import System

/// A device in ALSA's configuration from which sound may be captured.
public struct CaptureDeviceInformation: Hashable, Sendable {
    /// The formats that a device supports, as its driver reports them.
    public struct Capabilities: Hashable, Sendable {
        /// The supported sample rates, in Hz.
        public var sampleRates: ClosedRange<Int>
        /// The supported numbers of channels.
        public var channelCounts: ClosedRange<Int>
        /// The supported encodings that a `CaptureTap` can use, best first.
        public var encodings: [AudioFormat.Encoding]

        package init(
            sampleRates: ClosedRange<Int>, channelCounts: ClosedRange<Int>, encodings: [AudioFormat.Encoding]
        ) {
            (self.sampleRates, self.channelCounts, self.encodings) = (sampleRates, channelCounts, encodings)
        }
    }

    /// The PCM's name, as `CaptureConfiguration.device` takes it.
    public var name: String
    /// The description from the device's driver or configuration; may be empty. Untrusted: strip control characters
    /// before it reaches a terminal.
    public var description: String

    package init(name: String, description: String) { (self.name, self.description) = (name, description) }

    /// Returns the devices that ALSA's configuration lists, in its order, without those that only play.
    ///
    /// C: `snd_device_name_hint`
    public static func all() -> [CaptureDeviceInformation] {
        ALSAMessages.collecting {
            var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
            guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
            defer { snd_device_name_free_hint(hints) }
            var devices: [CaptureDeviceInformation] = []
            var place = hints
            while let hint = place.pointee {
                place += 1
                guard value("IOID", of: hint) != "Output", let name = value("NAME", of: hint) else { continue }
                let words = (value("DESC", of: hint) ?? "").split(whereSeparator: \.isNewline).joined(separator: ", ")
                devices.append(CaptureDeviceInformation(name: name, description: words))
            }
            return devices
        }.value
    }

    /// Opens the device and returns the formats that it supports.
    ///
    /// - Throws: `CaptureError` if the device can't be opened; `.busy` if another program uses it.
    ///
    /// C: `snd_pcm_open`, `snd_pcm_hw_params_any`
    public func capabilities() throws(CaptureError) -> Capabilities {
        // Libraries loaded by plug-ins, such as JACK's, write to stderr even if ALSA's messages are redirected.
        let ((result, messages), _) = StandardErrorCapture.during {
            ALSAMessages.collecting { Self.capabilities(of: name) }
        }
        switch result {
        case .success(let capabilities): return capabilities
        case .failure(let refusal): throw CaptureError(opening: name, result: refusal.result, messages: messages)
        }
    }

    private static func capabilities(of name: String) -> Result<Capabilities, CaptureDevice.Refusal> {
        var opened: OpaquePointer?
        let result = snd_pcm_open(&opened, name, SND_PCM_STREAM_CAPTURE, Int32(SND_PCM_NONBLOCK))
        guard result >= 0, let pcm = opened else { return .failure(CaptureDevice.Refusal(result: min(result, -1))) }
        defer { snd_pcm_close(pcm) }
        var allocated: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocated) == 0, let hardware = allocated else {
            return .failure(CaptureDevice.Refusal(result: -ENOMEM))
        }
        defer { snd_pcm_hw_params_free(hardware) }
        let failure = snd_pcm_hw_params_any(pcm, hardware)
        if failure < 0 { return .failure(CaptureDevice.Refusal(result: failure)) }
        var rates: (UInt32, UInt32) = (0, 0)
        var channels: (UInt32, UInt32) = (0, 0)
        var direction: Int32 = 0
        snd_pcm_hw_params_get_rate_min(hardware, &rates.0, &direction)
        snd_pcm_hw_params_get_rate_max(hardware, &rates.1, &direction)
        snd_pcm_hw_params_get_channels_min(hardware, &channels.0)
        snd_pcm_hw_params_get_channels_max(hardware, &channels.1)
        var encodings: [AudioFormat.Encoding] = []
        for encoding in CaptureEncoding.allCases
        where snd_pcm_hw_params_test_format(pcm, hardware, encoding.alsaFormat) == 0
            && !encodings.contains(encoding.audioEncoding)
        {
            encodings.append(encoding.audioEncoding)
        }
        return .success(
            Capabilities(
                sampleRates: Int(rates.0)...max(Int(rates.0), Int(rates.1)),
                channelCounts: Int(channels.0)...max(Int(channels.0), Int(channels.1)), encodings: encodings))
    }

    private static func value(_ name: String, of hint: UnsafeMutableRawPointer) -> String? {
        guard let value = snd_device_name_get_hint(hint, name) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}
