import Foundation
import Glibc
import System

/// The environment and the user that the doctor's checks work for.
struct Surroundings: Sendable {
    var environment = ProcessInfo.processInfo.environment
    var isRoot = geteuid() == 0

    /// Whether a program is in one of the folders of `PATH`.
    func has(_ program: String) -> Bool { BoundedProgram.isThere(program, environment) }

    /// Whether there is a sound server where PulseAudio's clients look for it; PipeWire is found there too.
    var hasSoundServer: Bool {
        if environment["PULSE_SERVER"]?.isEmpty == false { return true }
        let folder =
            environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/run/user/\(geteuid())"
        return access(folder + "/pulse/native", F_OK) == 0
    }

    /// Whether ALSA's drivers have found a sound card.
    var hasSoundCard: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/asound")) ?? []
        return names.contains { $0.wholeMatch(of: /card[0-9]+/) != nil }
    }

    /// The program that changes a device's capture volume, and where in it. A sound server has a volume of its own.
    func mixer(of device: String) -> String {
        hasSoundServer && ["default", "pulse", "pipewire"].contains(device)
            ? "pavucontrol, Input Devices" : "alsamixer, F4"
    }

    func asRoot(_ command: String) -> Finding.Step { .run(isRoot ? command : "sudo \(command)") }

    func install(_ packages: [String]) -> Finding.Step {
        asRoot("apt-get install -y \(packages.joined(separator: " "))")
    }

    /// The steps that set an environment variable now and for later sessions.
    static func export(_ variable: String, _ value: String) -> [Finding.Step] {
        [.run("export \(variable)=\(ShellWord.quoted(value))"), .act("to keep that, put the line into ~/.profile")]
    }

    static func edit(_ path: String) -> Finding.Step { .run("${EDITOR:-nano} \(ShellWord.quoted(path))") }
}
