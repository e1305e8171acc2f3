import Audio
import Foundation

/// The sources of PulseAudio or PipeWire, each as a capture device of its own: `pulse:NAME`. The monitor of the standard output, which
/// gives what this machine plays, is `monitor`. What pactl(1) lists; none where it or ALSA's plug-in `pulse` is missing.
enum SoundServerSources {
    /// - Parameter known: ALSA's devices.
    static func devices(beside known: [CaptureDeviceInformation]) async -> [CaptureDeviceInformation] {
        guard known.contains(where: { $0.name == "pulse" }) else { return [] }
        return await SoundServer.answer(SoundServer.sources).map(devices) ?? []
    }

    /// - Parameter json: what `pactl --format=json list sources` says.
    static func devices(_ json: Data) -> [CaptureDeviceInformation] {
        let sources = SoundServer.objects(json).compactMap { object -> CaptureDeviceInformation? in
            guard let name = object["name"] as? String, !name.isEmpty else { return nil }
            return CaptureDeviceInformation(name: "pulse:\(name)", description: object["description"] as? String ?? "")
        }
        guard sources.contains(where: { CaptureOptions.isMonitor($0.name) }) else { return sources }
        return [CaptureDeviceInformation(name: CaptureOptions.monitor, description: "What this machine plays")]
            + sources
    }
}
