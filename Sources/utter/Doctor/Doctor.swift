import Models
import System

/// Checks everything that a memo needs. The steps of one finding may need those of earlier findings.
struct Doctor: Sendable {
    let options: MemoOptions
    let surroundings: Surroundings
    let store: ModelStore

    init(_ options: MemoOptions, _ surroundings: Surroundings) {
        self.options = options
        self.surroundings = surroundings
        store = .ofUser(surroundings.environment)
    }

    static let subjects = [
        "libvosk", "curl, unzip", "model", "second pass", "vocabulary", "replacements", "microphone",
        "real-time priority", "notes",
        "journal", "memos",
        "destinations",
        "outbox", "privacy", "ffmpeg", "locale", "terminal",
    ]
    /// The longest time that a check waits for a disk or a sound server.
    static let timeLimit = Duration.seconds(30)

    /// Makes all checks.
    ///
    /// - Parameter tell: called with each finding as soon as its check has ended.
    func examine(_ tell: (Finding) throws -> Void) async throws {
        // The check of privacy comes first, for the others write to these folders, which makes them private.
        let privacy = await onOwnThread("privacy", self.privacy)
        let recognizer = RecognizerCheck().finding()
        try tell(recognizer)
        try tell(downloads())
        // Calling a function that the library lacks would end this process.
        if recognizer.state != .broken { try tell(await model()) }
        try tell(await secondPass())
        try await onOwnThread("vocabulary") { [vocabulary()] }.forEach(tell)
        try await onOwnThread("replacements") { [replacements()] }.forEach(tell)
        try await within("microphone") { [await microphone()] }.forEach(tell)
        try tell(priority())
        try await onOwnThread("notes", notes).forEach(tell)
        try await onOwnThread("journal") { [journal()] }.forEach(tell)
        try await onOwnThread("memos", memos).forEach(tell)
        try await onOwnThread("outbox", outbox).forEach(tell)
        try privacy.forEach(tell)
        for finding in [ffmpeg(), locale(), terminal()] { try tell(finding) }
    }

    private func onOwnThread(_ subject: String, _ check: @escaping @Sendable () -> [Finding]) async -> [Finding] {
        await within(subject) { await System.onOwnThread(check) }
    }

    /// The findings of a check, or that it took longer than `timeLimit`; it is then left behind.
    private func within(_ subject: String, _ check: @escaping @Sendable () async -> [Finding]) async -> [Finding] {
        if let findings = await Task(operation: check).value(within: Self.timeLimit) { return findings }
        Leaving.leaveBehind()
        return [
            .broken(
                subject, "no answer within \(Self.timeLimit.components.seconds) s",
                [.act("see whether its disk or server hangs, and try again")])
        ]
    }
}
