import Foundation
import System

/// Checks everything that a memo needs. The steps of one finding may need those of earlier findings.
struct Doctor {
    private let options: MemoOptions
    private let surroundings: Surroundings

    init(_ options: MemoOptions, _ surroundings: Surroundings) {
        self.options = options
        self.surroundings = surroundings
    }

    /// The subjects of the findings, in order.
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
        let folders = FoldersCheck(surroundings)
        let (options, surroundings) = (options, surroundings)
        // The check of privacy comes first, for the others write to these folders, which makes them private.
        let privacy = await onOwnThread("privacy") {
            PrivacyCheck(surroundings).findings(notes: folders.locations(options.notes))
        }
        let recognizer = RecognizerCheck().finding()
        try tell(recognizer)
        let programs = ProgramsCheck(surroundings)
        try tell(programs.downloads())
        // Calling a function that the library lacks would end this process.
        if recognizer.state != .broken { try tell(await ModelCheck(options.recognition, surroundings).finding()) }
        try tell(await SecondPassCheck(options.recognition).finding())
        try await onOwnThread("vocabulary") { [VocabularyCheck(options.recognition).finding()] }.forEach(tell)
        try await onOwnThread("replacements") { [ReplacementsCheck(surroundings).finding()] }.forEach(tell)
        try await within(Self.timeLimit, "microphone") {
            [await MicrophoneCheck(options.capture, surroundings).finding()]
        }.forEach(tell)
        try tell(PriorityCheck(surroundings).finding())
        try await onOwnThread("notes") { folders.notes(options.notes) }.forEach(tell)
        try await onOwnThread("journal") { [folders.journal()] }.forEach(tell)
        try await onOwnThread("memos") { MemosCheck(surroundings).findings() }.forEach(tell)
        try await onOwnThread("outbox") { OutboxCheck(notes: options.notes, surroundings).findings() }.forEach(tell)
        try privacy.forEach(tell)
        let terminal = TerminalCheck(surroundings)
        for finding in [programs.ffmpeg(), terminal.locale(), terminal.terminal()] { try tell(finding) }
    }

    /// The findings of a check that blocks its thread.
    private func onOwnThread(_ subject: String, _ check: @escaping @Sendable () -> [Finding]) async -> [Finding] {
        await within(Self.timeLimit, subject) {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: check()) }
            }
        }
    }

    /// The findings of a check, or that it took too long; it is then left behind.
    private func within(_ limit: Duration, _ subject: String, _ check: @escaping @Sendable () async -> [Finding]) async
        -> [Finding]
    {
        if let findings = await Task(operation: check).value(within: limit) { return findings }
        Leaving.leaveBehind()
        return [
            .broken(
                subject, "no answer within \(limit.components.seconds) s",
                [.act("see whether its disk or server hangs, and try again")])
        ]
    }
}
