import Foundation
import Glibc
import Outbox
import System

/// What brings the queue without the user: a process that drains it, or systemd's timer.
enum QueueBringer {
    /// What to do when nothing does.
    static let remedy =
        "nothing brings them by itself: utter outbox drain, or for good: systemctl --user enable --now utter-drain.timer"

    /// Whether there is something that brings what waits.
    static func isThere(for store: OutboxStore) throws(OutboxError) -> Bool {
        if try store.isDrained() { return true }
        // Where systemctl enables it, for one user and for all.
        let configuration = String(
            BaseFolder.configuration.utter(ProcessInfo.processInfo.environment).dropLast("/utter".count))
        let folders = [configuration + "/systemd/user", "/etc/systemd/user"]
        return folders.contains { access($0 + "/timers.target.wants/utter-drain.timer", F_OK) == 0 }
    }
}
