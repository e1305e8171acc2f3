import Foundation
import Glibc

/// The ALSA devices of the tests, which `ALSA/asound.conf` defines: `microphone`, `default`, `samples`, and the
/// system's `null`, `plug` and so on.
package enum ALSADevices {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/ALSA"

    /// What a child process needs in its environment to see them.
    package static let environment = [
        "ALSA_CONFIG_PATH": folder + "/asound.conf", "PULSE_CLIENTCONFIG": folder + "/pulse-client.conf",
        // What a recording client asks the server for; without it, it hears everything two seconds late.
        "PULSE_LATENCY_MSEC": "20",
    ]

    /// Makes this very process see them. Every name is then usable here, whichever microphone it means.
    ///
    /// `setenv` races with any `getenv` on another thread. Values that are set already are left alone, so that only the
    /// first call in a process changes the environment; it must come before the first call into ALSA.
    package static func configureProcess() { configured }

    private static let configured: Void = {
        for (name, value) in environment where getenv(name).map({ String(cString: $0) }) != value { setenv(name, value, 1) }
    }()
}
