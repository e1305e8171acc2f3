import TestSupport

/// A real ALSA device, of the plug-in for the Open Sound System, whose open(2) fails as the test chooses.
struct OpenSoundSystem {
    static let deviceName = "oss"
    private let configuration: String

    init(_ sandbox: Sandbox) {
        configuration = sandbox.put(
            """
            <\(ALSADevices.folder)/asound.conf>
            pcm.oss { type oss device /dev/utter-dsp hint { show on description "Open Sound System" } }

            """, in: "oss.conf")
    }

    var environment: [String: String] { ALSADevices.environment.merging(["ALSA_CONFIG_PATH": configuration]) { $1 } }

    /// A command that runs a program in which opening the device fails.
    ///
    /// - Parameter error: the error, such as `EBUSY`.
    func failing(with error: String) -> [String] {
        injecting("error=\(error)", at: "open,openat", on: "/dev/utter-dsp")
    }
}
