import Glibc
import TestEnvironment

/// The ALSA devices of the tests, which `TestEnvironment/Devices/asound.conf` defines: `microphone`, `default`, `samples`,
/// and the system's `null`, `plug` and so on.
///
/// This very process has them too: whoever links this module has the variables below in its environment before `main`.
/// `microphone` and `default` have no server here, though; use `VirtualMicrophone.deviceName`.
package enum ALSADevices {
    /// The folder with the settings of the devices and of their servers.
    package static let folder = String(cString: test_devices_folder())

    /// What a child process needs in its environment to see them.
    package static let environment: [String: String] = {
        let names = ["ALSA_CONFIG_PATH", "PULSE_CLIENTCONFIG", "PULSE_LATENCY_MSEC", "PULSE_SERVER"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, String(cString: getenv($0))) })
    }()
}
