import Audio
import Glibc

extension Doctor {
    /// Whether the system grants real-time priority, which is used to read hardware devices.
    func priority() -> Finding {
        let subject = "real-time priority"
        if RealTimePriority.isGranted() { return .fine(subject, "granted, for hardware devices") }
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
