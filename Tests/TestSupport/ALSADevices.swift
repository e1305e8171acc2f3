import Glibc
import TestEnvironment

/// The ALSA devices of the tests, which `TestEnvironment/Devices/asound.conf` defines: `microphone`, `default`, `samples`,
/// and the system's `null`, `plug` and so on.
///
/// The tests' own process has them too: a program that links this module has the variables below in its environment before
/// `main`. There, `microphone` and `default` have no server, though; use `VirtualMicrophone.deviceName`.
package enum ALSADevices {
    /// The folder with the settings of the devices and of their servers.
    package static let folder = String(cString: test_devices_folder())

    /// The environment variables that a child process needs for these devices.
    package static let environment: [String: String] = {
        let names = ["ALSA_CONFIG_PATH", "PULSE_CLIENTCONFIG", "PULSE_LATENCY_MSEC", "PULSE_SERVER"]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, String(cString: getenv($0))) })
    }()
}
