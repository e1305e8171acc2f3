import Audio
import Foundation

extension Doctor {
    /// Whether the capture device can be opened and delivers sound. Listens until there is sound, for half a second at most.
    func microphone() async -> Finding {
        let subject = "microphone"
        var configuration = options.capture.configuration
        // The device gets the same request as always, and its sound is not converted.
        configuration.sampleRate = configuration.deviceSampleRate
        configuration.sampleLimit = Int64(configuration.sampleRate / 2)
        configuration.bufferDuration = 1
        let tap = CaptureTap(configuration)
        do {
            try await tap.start()
            var isHeard = false
            for try await block in tap.blocks {
                isHeard = block.samples.contains { $0 != 0 }
                if isHeard { break }
            }
            await tap.stop()
            let format = tap.deviceFormat.map { " at \($0.sampleRate) Hz, \($0.channelCount) ch" } ?? ""
            let words = "\(configuration.device) delivers sound\(format)"
            if isHeard { return .fine(subject, words) }
            return .lacking(
                subject, words + ", all of it digital silence",
                [
                    .act(
                        "unmute it (\(surroundings.mixer(of: configuration.device))), and see: utter devices --test \(ShellWord.quoted(configuration.device))"
                    )
                ])
        } catch let error as CaptureError {
            return .broken(subject, error.brief, mend(error.code, configuration.device))
        } catch {
            return .broken(subject, CommandError(error).message, [])
        }
    }

    private func mend(_ code: CaptureError.Code, _ device: String) -> [Finding.Step] {
        let devices = CaptureDeviceInformation.all()
        let usable = devices.first {
            $0.name != device && Self.isMicrophone($0.name) && (try? $0.capabilities().encodings.isEmpty) == false
        }
        let other = usable.map { Surroundings.export("UTTER_DEVICE", $0.name) } ?? []
        // It leads to the sound server.
        let hasPulseDevice = devices.contains { $0.name == "pulse" }
        let hasServerProgram = surroundings.has("pulseaudio") || surroundings.has("pipewire-pulse")
        switch code {
        case .permissionDenied:
            return [surroundings.asRoot("usermod -aG audio \"$(id -un)\""), .act("log out, and in again")]
        case .busy: return [.act("end the program that records from it; fuser -v /dev/snd/* names it")]
        case .unreachable: return startServer()
        case _ where !other.isEmpty: return other
        case .noDevice where surroundings.hasSoundServer && !hasPulseDevice:
            return [surroundings.install(["libasound2-plugins"])] + Surroundings.export("UTTER_DEVICE", "pulse")
        case .noDevice where hasPulseDevice && hasServerProgram:
            return startServer() + Surroundings.export("UTTER_DEVICE", "pulse")
        default: return [.act("connect a microphone; utter devices lists what there is")]
        }
    }

    private func startServer() -> [Finding.Step] {
        if surroundings.has("pipewire-pulse") {
            return [.run("systemctl --user start pipewire pipewire-pulse wireplumber")]
        }
        let start = Finding.Step.run("pulseaudio --start")
        return surroundings.has("pulseaudio") ? [start] : [surroundings.install(["pulseaudio"]), start]
    }

    /// Whether a name is not that of an ALSA plug-in without a device.
    private static func isMicrophone(_ name: String) -> Bool {
        !["null", "jack", "oss", "lavrate", "samplerate", "speexrate", "speex", "upmix", "vdownmix"].contains(name)
    }
}
