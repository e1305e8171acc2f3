import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import utter

extension MemoTests {
    /// Memos during their second pass, or the workers of that, are killed at random moments. `UTTER_SECOND_PASS_KILLS` sets how many.
    @Suite("Killed memos and workers of a second pass", .needsSecondPass)
    struct SecondPassKills {
        private static let count = Tier.count(2, long: 5, "UTTER_SECOND_PASS_KILLS")
        /// How often the weekdays are said in one memo at most, so that its text fits in one row of the terminal.
        private static let mostUtterances = 4

        /// Whether a text is that of either pass for the weekdays, said as often as one of `counts`.
        private static func isSaid(_ text: String, _ counts: ClosedRange<Int>) -> Bool {
            var rest = text[...]
            for count in 0...counts.upperBound {
                if rest.isEmpty { return counts.contains(count) }
                guard let said = [SecondPassSetup.first, SecondPassSetup.second].first(where: rest.hasPrefix) else {
                    return false
                }
                rest = rest.dropFirst(said.count).drop { $0 == " " }
            }
            return rest.isEmpty
        }

        private func start(_ terminal: MemoTerminal) async throws -> SecondPassWorkerProcess {
            try await terminal.start("sh -c '\"$0\" memo; :' \"$UTTER\"", until: "listening")
            return try await SecondPassSetup.worker(of: try await terminal.memoProcess())
        }

        @Test(
            "Whenever a memo is killed, the next restores each utterance once, by one pass or the other, and no worker is left"
        )
        func memos() async throws {
            var random = SplitMix64(for: "killed second passes")
            try await MemoTests.spokenScene(environment: SecondPassSetup.environment) { terminal, microphone in
                var (text, saidCount) = ("", 0)
                for _ in 0..<Self.count {
                    let worker = try await start(terminal)
                    if !text.isEmpty {
                        try await terminal.press("C-r")
                        try await terminal.expectDimmed("what was said before") { [text] in $0.line(1) == text }
                    }
                    if saidCount == Self.mostUtterances {
                        try await terminal.press("Enter")
                        try await terminal.expectPrompt()
                        #expect(terminal.sandbox.memos.last == text)
                        (text, saidCount) = ("", 0)
                        try await terminal.run("clear")
                        try await terminal.expect([">"])
                        continue
                    }
                    let speaking = try microphone.playing(try await microphone.rendered(MemoTests.weekdays.path))
                    let looks = Int.random(in: 1...50, using: &random)
                    let count = Atomic(0)
                    let before = text
                    try await terminal.expectDimmed("a moment") { lines in
                        let isDecided = lines.line(1).count > before.count + 20 && !lines.line(1).contains("<")
                        return count.add(1, ordering: .relaxed).newValue >= looks || isDecided
                    }
                    for _ in 0..<Int.random(in: 0..<2000, using: &random) { sched_yield() }
                    let memo = try await terminal.memoProcess()
                    kill(memo, SIGSTOP)
                    let certain = try await terminal.dimmedScreen().line(1).prefix { $0 != "<" }
                    kill(memo, SIGKILL)
                    try await worker.expectEnd()
                    try await speaking.stop()
                    try await terminal.expect("the shell") { $0.contains { $0.contains("Killed") } }
                    try await terminal.tidyUp()
                    let found = MemoTests.textsInJournals(of: terminal.sandbox)
                    #expect(found.count <= 1)
                    text = found.first ?? ""
                    #expect(text.hasPrefix(certain), "it showed '\(certain)'")
                    #expect(text.hasPrefix(before) && Self.isSaid(text, saidCount...saidCount + 1), "\(text)")
                    if text != before { saidCount += 1 }
                }
            }
        }

        @Test(
            "Whenever the worker of a memo is killed, each utterance is there once, in order, and the fault is reported in one line"
        )
        func workers() async throws {
            var random = SplitMix64(for: "killed workers of memos")
            try await MemoTests.spokenScene(environment: SecondPassSetup.environment) { terminal, microphone in
                for number in 0..<Self.count {
                    _ = try await start(terminal)
                    let memo = try await terminal.memoProcess()
                    for said in 1...Self.mostUtterances {
                        async let speaking: Void = microphone.play(MemoTests.weekdays.path)
                        // While it is spoken, or during its second pass.
                        if Bool.random(using: &random) {
                            try await terminal.expectDimmed("a guess") { $0.line(1).contains("<") }
                        } else {
                            try await Patience.wait(for: "utterance \(said) in the journal") {
                                terminal.sandbox.journalNames.contains { name in
                                    let journal = terminal.sandbox.text(of: "state/utter/memos/" + name) ?? ""
                                    return Self.isSaid(MemoHistory(journal: Array(journal.utf8)).text, said...said)
                                }
                            }
                        }
                        for worker in SecondPassSetup.children(of: memo) { kill(worker, SIGKILL) }
                        try await speaking
                        try await terminal.expectDimmed("finals") { Self.isSaid($0.line(1), said...said) }
                        let screen = try await terminal.screen()
                        #expect(screen.count { $0.contains("second pass") } <= 1, "\(screen)")
                    }
                    try await terminal.press("Enter")
                    try await terminal.expectPrompt()
                    #expect(
                        terminal.sandbox.memos.count == number + 1 && Self.isSaid(terminal.sandbox.memos[number], 4...4)
                    )
                    #expect(terminal.sandbox.journalNames == [])
                    try await terminal.run("clear")
                    try await terminal.expect([">"])
                }
            }
        }
    }
}
