import Foundation

/// Looks at everything that a memo needs. What mends one thing may need what mends those before it.
struct Doctor {
    private let options: MemoOptions
    private let surroundings: Surroundings

    init(_ options: MemoOptions, _ surroundings: Surroundings) {
        self.options = options
        self.surroundings = surroundings
    }

    /// What there is to look at, in order.
    static let subjects = [
        "libvosk", "curl, unzip", "model", "second pass", "microphone", "real-time priority", "notes", "journal", "memos", "destinations",
        "outbox", "privacy", "ffmpeg", "locale", "terminal",
    ]
    /// How long a check may take that waits for a disk or a sound server.
    static let timeLimit = Duration.seconds(30)

    /// - Parameter tell: is told what each check has found, as soon as it has.
    func examine(_ tell: (Finding) throws -> Void) async throws {
        let folders = FoldersCheck(surroundings)
        let (options, surroundings) = (options, surroundings)
        // First of all, for what is made or written closes it.
        let privacy = await onOwnThread("privacy") { PrivacyCheck(surroundings).findings(notes: folders.locations(options.notes)) }
        let recognizer = RecognizerCheck().finding()
        try tell(recognizer)
        let programs = ProgramsCheck(surroundings)
        try tell(programs.downloads())
        // A call of what it lacks would end us.
        if recognizer.state != .broken { try tell(await ModelCheck(options.recognition, surroundings).finding()) }
        let first = try? ModelChoice(model: options.recognition.model, locale: options.recognition.locale).installed
        try tell(SecondPassCheck(options.recognition.secondPass, besides: first).finding())
        try await within(Self.timeLimit, "microphone") { [await MicrophoneCheck(options.capture, surroundings).finding()] }.forEach(tell)
        try tell(PriorityCheck(surroundings).finding())
        try await onOwnThread("notes") { folders.notes(options.notes) }.forEach(tell)
        try await onOwnThread("journal") { [folders.journal()] }.forEach(tell)
        try await onOwnThread("memos") { MemosCheck(surroundings).findings() }.forEach(tell)
        try await onOwnThread("outbox") { OutboxCheck(notes: options.notes, surroundings).findings() }.forEach(tell)
        try privacy.forEach(tell)
        let terminal = TerminalCheck(surroundings)
        for finding in [programs.ffmpeg(), terminal.locale(), terminal.terminal()] { try tell(finding) }
    }

    /// What a check finds that makes its thread wait.
    private func onOwnThread(_ subject: String, _ check: @escaping @Sendable () -> [Finding]) async -> [Finding] {
        await within(Self.timeLimit, subject) {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: check()) }
            }
        }
    }

    /// What a check finds, unless that takes too long. What it does is left behind then.
    private func within(_ limit: Duration, _ subject: String, _ check: @escaping @Sendable () async -> [Finding]) async -> [Finding] {
        if let findings = await Task(operation: check).value(within: limit) { return findings }
        Leaving.leaveBehind()
        return [
            .broken(
                subject, "no answer within \(limit.components.seconds) s", [.act("see whether its disk or server hangs, and try again")])
        ]
    }
}
