import Foundation
import Glibc
import Outbox

/// Logs each event in the queue, without the text that was said: as a line on stderr, with its level if systemd's journal reads
/// that, or to syslog if stderr is /dev/null, as in the background.
struct OutboxLog {
    /// The level of a line, for the journal and for syslog. sd-daemon(3), syslog(3)
    private enum Level: Int {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
    }

    private let isJournal: Bool
    /// Whether stderr is /dev/null.
    private let isUnread: Bool

    init() {
        // Every process that a service starts inherits the variable, even a terminal, so compare the stream itself.
        let journal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        let status = stat(STDERR_FILENO)
        isJournal = status.map { journal == "\($0.st_dev):\($0.st_ino)" } ?? false
        isUnread = status.map { $0.st_rdev == stat("/dev/null")?.st_rdev && $0.st_mode & S_IFMT == S_IFCHR } ?? false
        // The copy of the name is never freed, since openlog(3) keeps the pointer.
        if isUnread { openlog(strdup("utter"), 0, 1 << 3) }
    }

    func tell(_ event: OutboxEvent) {
        switch event {
        // A delivery is only logged, not shown to a user.
        case .delivered(let id, let destination, let attempts):
            if isJournal || isUnread {
                say(.information, "\(id.name) arrived at \(destination) with attempt \(attempts)")
            }
        case .failed(let id, let destination, let reason, let attempts, let delay):
            say(.warning, "\(id.name) to \(destination): \(reason); attempt \(attempts), the next in \(Int(delay)) s")
        case .needsUser(let id, let destination, let reason):
            say(.error, "\(id.name) to \(destination) waits for you: \(reason)")
        case .unknownDestination(let id, let destination):
            say(.warning, "\(id.name): no destination is named \(destination)")
        case .putAside(let id): say(.error, "the file of \(id.name) can't be read; it was put aside")
        case .isDrainedElsewhere: say(.notice, "another process brings what is in the queue; waiting for its end")
        case .storeFailed(let error): say(.error, error.description)
        }
    }

    /// Logs that a changed configuration can't be read.
    func tell(_ error: OutboxError) { say(.error, "\(error.description); the destinations before stay in force") }

    private func say(_ level: Level, _ line: String) {
        if isUnread {
            // The facility is LOG_USER. The line is not the format, since it may hold a %.
            TerminalText.visible(line).withCString { line in
                withVaList([line]) { vsyslog(Int32(1 << 3 | level.rawValue), "%s", $0) }
            }
            return
        }
        Console.say(
            (isJournal ? "<\(level.rawValue)>" : "utter: ") + TerminalText.visible(line) + "\n",
            layout: .tabsAndNewlines)
    }
}
