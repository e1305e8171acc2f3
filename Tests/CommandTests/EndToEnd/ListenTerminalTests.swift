import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    @Suite(.needs("tmux")) struct ListenInTerminal {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")
        private let date = Recording.named("date-rms.wav")

        @Test("The guess grows on a line of its own, apart from lines, warnings and a command's output; Ctrl-C ends it")
        func guess() async throws {
            let microphone = try await VirtualMicrophone()
            let saved = SavedSound(path: sandbox.file("saved.wav"))
            let session = try await sandbox.terminal(
                "\"$UTTER\" listen --volatile --save-audio '\(saved.path)' --exec 'cat; exit 3'; echo exit $?",
                environment: microphone.environment.merging(sandbox.environment()) { $1 }
            ) { terminal in
                try await saved.wait { $0.count > 0 }
                for recording in [digits, date] {
                    try await saved.hear(recording, from: microphone)
                    try await terminal.stream.wait(forOutput: recording.transcript + "\r\n")
                }
                // The recording is cut in the middle of a word: "nine eight se".
                let begun = try await saved.wait { _ in true }.loudCount
                let playback = try microphone.playing(try await microphone.rendered(Sandbox.fixture("digits-rms.wav")))
                try await saved.wait { $0.loudCount > begun + 16_000 }
                try await terminal.press("C-c")
                try await saved.wait(\.isFinished)
                try await playback.stop()
            }
            let warning = "utter: the command of --exec ended with exit status 3"
            // The terminal itself echoes ^C.
            let screen = session.screen.map { $0.replacing("^C", with: "") }.filter { !$0.isEmpty }
            try #require(screen.count == 10, "\(screen)")
            let last = screen[6]
            #expect(last.hasPrefix("nine eight"))
            #expect(
                screen == [
                    digits.transcript, digits.transcript, warning, date.transcript, date.transcript, warning, last,
                    last, warning, "exit 74",
                ])
            #expect(session.stream.firstRange(of: /\rone two[a-z ]*\x1b\[K/) != nil)
            #expect(session.stream.firstRange(of: /\rjanuary[a-z ]*\x1b\[K/) != nil)
            // The escape sequences of colours end with an m.
            #expect(session.stream.firstRange(of: /\x1b\[[0-9;:]*m/) == nil)
        }

        @Test(
            "The state and the guess are on standard error, are erased at the end, and are not drawn on other terminals",
            arguments: [
                ("--volatile", ["NO_COLOR": "1"], true, true), ("--volatile", ["TERM": "dumb"], false, false),
                ("", [:], false, true),
                ("-q", [:], false, false), ("--volatile -f jsonl", [:], true, true),
            ] as [(String, [String: String], Bool, Bool)])
        func redirected(options: String, environment: [String: String], showsGuess: Bool, showsStatus: Bool)
            async throws
        {
            let device = try FilePCM(digits.samples, silence: 32_000)
            let line =
                "\"$UTTER\" listen --device \"\(device.deviceName)\" --device-rate 16000 --for 5 \(options) > '\(sandbox.file("out.txt"))'; echo exit $?"
            let variables = ALSADevices.environment.merging(sandbox.environment()) { $1 }.merging(environment) { $1 }
            let session = try await sandbox.terminal(line, environment: variables)
            #expect(session.screen == ["exit 0"])
            #expect(session.stream.contains("\rone\u{1B}[K") == showsGuess)
            #expect(session.stream.contains("\u{1B}") == showsStatus)
            // The sound comes faster than in real time, so it may have ended before the model is loaded.
            #expect(
                (session.stream.firstRange(of: /\r(getting ready|listening, Ctrl-C ends|finishing)/) != nil)
                    == showsStatus)
            #expect(session.stream.firstRange(of: /\x1b\[[0-9;:]*m/) == nil)
            let out = try #require(sandbox.text(of: "out.txt"))
            if options.contains("jsonl") {
                #expect(try ListenEvents(lines: out).text == digits.transcript)
            } else {
                #expect(out == digits.transcript + "\n")
            }
        }
    }
}
