import Audio
import Glibc

/// Checks whether the system grants real-time priority, which is used to read hardware devices.
struct PriorityCheck {
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    func finding(isGranted: Bool = RealTimePriority.isGranted()) -> Finding {
        let subject = "real-time priority"
        if isGranted { return .fine(subject, "granted, for hardware devices") }
        let words = "not granted; on a busy machine a hardware device may lose sound"
        if surroundings.isRoot {
            return .lacking(subject, words, [.act("give the container that this is the capability SYS_NICE")])
        }
        return .lacking(
            subject, words,
            [
                .run("echo '@audio - rtprio 20' | sudo tee /etc/security/limits.d/audio.conf"),
                .run("sudo usermod -aG audio \"$(id -un)\""), .act("log out, and in again"),
            ])
    }
}
