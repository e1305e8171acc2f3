import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

/// Tests of `utter memo` in a real terminal, with a microphone in real time.
@Suite("utter memo, end to end", .needs("tmux"))
enum MemoTests {
    static func scene(
        environment: [String: String] = [:], columns: Int = 200, rows: Int = 24,
        _ body: (MemoTerminal) async throws -> Void
    ) async throws {
        try await run(MemoTerminal(Sandbox(), columns: columns, rows: rows, environment: environment), body)
    }

    static func spokenScene(
        environment: [String: String] = [:], columns: Int = 200,
        _ body: (MemoTerminal, VirtualMicrophone) async throws -> Void
    ) async throws {
        let microphone = try await VirtualMicrophone()
        let terminal = try await MemoTerminal(Sandbox(), microphone, columns: columns, environment: environment)
        try await run(terminal) { try await body($0, microphone) }
    }

    private static func run(_ terminal: MemoTerminal, _ body: (MemoTerminal) async throws -> Void) async throws {
        do {
            try await body(terminal)
        } catch {
            try? await terminal.end()
            throw error
        }
        try await terminal.end()
    }

    /// The transcript of a recording by `utter transcribe`, in one line.
    static func transcript(of recording: Recording) async throws -> String {
        try await Sandbox().transcribe(recording.path).outputLines.joined(separator: " ")
    }

    static let digits = Recording.named("digits-slt.wav")
    static let date = Recording.named("date-rms.wav")
    static let commands = Recording.named("commands-slt.wav")
    static let weekdays = Recording.named("weekdays-awb.wav")

    /// The texts in the journals, without empty ones.
    static func textsInJournals(of sandbox: Sandbox) -> [String] {
        sandbox.journalNames.compactMap { sandbox.text(of: "state/utter/memos/" + $0) }
            .map { MemoHistory(journal: Array($0.utf8)).text }.filter { !$0.isEmpty }
    }

    /// Waits until a journal holds a text, by polling.
    static func waitForJournal(_ sandbox: Sandbox, holding text: String) async throws {
        try await Patience.wait(for: "a journal holds \(text)") {
            sandbox.journalNames.contains { sandbox.text(of: "state/utter/memos/" + $0)?.contains(text) == true }
        }
    }
}
