import Foundation
import Glibc
import TestSupport
import Testing

/// `utter memo` in a real terminal, with a microphone that speaks in real time. Most of it is waiting, so some run side by side.
@Suite("utter memo, end to end", .needs("tmux"))
enum MemoTests {
    private actor Gate {
        private var free = 4
        private var waiters: [CheckedContinuation<Void, Never>] = []

        func enter() async {
            if free > 0 {
                free -= 1
            } else {
                await withCheckedContinuation { waiters.append($0) }
            }
        }

        func leave() { if waiters.isEmpty { free += 1 } else { waiters.removeFirst().resume() } }
    }

    private static let gate = Gate()

    /// Runs a scene when there is room for it, with a terminal and, if it speaks, a microphone.
    static func scene(
        environment: [String: String] = [:], columns: Int = 200, rows: Int = 24, _ body: (MemoTerminal) async throws -> Void
    ) async throws {
        await gate.enter()
        let result: Result<Void, any Error>
        do {
            let terminal = try await MemoTerminal(Sandbox(), columns: columns, rows: rows, environment: environment)
            do { try await body(terminal) } catch {
                try? await terminal.end()
                throw error
            }
            try await terminal.end()
            result = .success(())
        } catch { result = .failure(error) }
        await gate.leave()
        try result.get()
    }

    static func spokenScene(
        environment: [String: String] = [:], _ body: (MemoTerminal, VirtualMicrophone) async throws -> Void
    ) async throws {
        await gate.enter()
        let result: Result<Void, any Error>
        do {
            let microphone = try await VirtualMicrophone()
            let terminal = try await MemoTerminal(Sandbox(), microphone, environment: environment)
            do { try await body(terminal, microphone) } catch {
                try? await terminal.end()
                throw error
            }
            try await terminal.end()
            result = .success(())
        } catch { result = .failure(error) }
        await gate.leave()
        try result.get()
    }

    /// What `utter transcribe` makes of a recording, in one line.
    static func transcript(of recording: Recording) async throws -> String {
        try await Sandbox().transcribe(recording.path).outputLines.joined(separator: " ")
    }

    static let digits = Recording.named("digits-slt.wav")
    static let date = Recording.named("date-rms.wav")
    static let commands = Recording.named("commands-slt.wav")
    static let weekdays = Recording.named("weekdays-awb.wav")

    /// Waits until a journal holds a text; writing to a file wakes nobody, so it looks again and again.
    static func waitForJournal(_ sandbox: Sandbox, holding text: String) async throws {
        try await Patience.wait(for: "a journal holds \(text)") {
            sandbox.journalNames.contains { sandbox.text(of: "state/utter/memos/" + $0)?.contains(text) == true }
        }
    }
}

/// A descriptor of a process, whoever started it. pidfd_open(2), which is not in the Glibc module.
let pidDescriptor = unsafeBitCast(dlsym(nil, "pidfd_open")!, to: (@convention(c) (pid_t, UInt32) -> Int32).self)

/// Waits until the process behind a descriptor has ended.
func waitForEnd(_ descriptor: Int32) {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    #expect(poll(&wait, 1, Patience.milliseconds) == 1)
    close(descriptor)
}
