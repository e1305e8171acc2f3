import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct Rules {
        private let sandbox = Sandbox()
        private let memo = Recording.named("memo.wav")
        private let date = Recording.named("date-rms.wav")

        private func transcribe(_ arguments: String..., environment: [String: String] = [:]) async throws
            -> Program.Finished
        {
            try await sandbox.transcribe(arguments, environment: ["UTTER_RULES": ""].merging(environment) { $1 })
        }

        @Test("By default a transcript has numbers in digits, and capitals")
        func standard() async throws {
            let finished = try await transcribe(memo.path)
            #expect(
                finished.outputLines == [
                    "1250973", "January 11, 1971", "Start repeat help stop", "Monday Wednesday Friday Sunday",
                    "635 54 83",
                ])
            #expect(finished.errors == "")
        }

        @Test("JSON has the text before and after the rules, and words with the times of the words that were heard")
        func json() async throws {
            func segment(_ rules: String) async throws -> [String: Any] {
                let finished = try await transcribe("-f", "json", date.path, "--rules", rules)
                let object = try #require(
                    try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any])
                return try #require((object["segments"] as? [[String: Any]])?.first)
            }
            let (before, after) = (try await segment("none"), try await segment("numbers"))
            #expect(before["text"] as? String == date.transcript && before["heard"] == nil)
            #expect(after["text"] as? String == "January 11, 1971" && after["heard"] as? String == date.transcript)
            let heard = try #require(before["words"] as? [[String: Any]])
            let words = try #require(after["words"] as? [[String: Any]])
            #expect(words.map { $0["text"] as? String } == ["January", "11,", "1971"])
            #expect(words.map { $0["start"] as? Double } == [0, 1, 2].map { heard[$0]["start"] as? Double })
            #expect(words.last?["end"] as? Double == heard.last?["end"] as? Double)
            #expect(["start", "end", "confidence"].allSatisfy { before[$0] as? Double == after[$0] as? Double })
        }

        @Test(
            "Replacements and a filter command change what is written, set by options, variables or the configuration")
        func ownRules() async throws {
            let file = sandbox.put("seventy one = the year I was born\n", in: "my-words.txt")
            let finished = try await transcribe(
                date.path, "--replacements", file,
                environment: ["UTTER_FILTER": "sed s/born/young/", "UTTER_RULES": "none"])
            #expect(finished.outputLines == ["january eleventh nineteen the year I was young"])
            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
            sandbox.put(#"{"rules": "capitals", "filter": "exit 7"}"#, in: "home/.config/utter/config.json")
            let configured = try await transcribe(date.path)
            #expect(configured.outputLines == ["January eleventh nineteen seventy one"])
            #expect(
                configured.errors
                    == "utter: the command of --filter ended with exit status 7, so the text stays as it was; this is reported once\n"
            )
        }

        @Test("What listen prints, hands to a command and queues for a destination is the same written text")
        func listening() async throws {
            let device = try FilePCM(date.samples, silence: 64_000)
            let heard = sandbox.file("heard.txt")
            let listened = try await sandbox.listen(
                [
                    "--device", device.deviceName, "--device-rate", "16000", "--for", "7", "-f", "jsonl", "--exec",
                    "cat >> '\(heard)'",
                    "--to", "notes",
                ], environment: ["UTTER_RULES": ""]
            ).finish().withoutSilence
            #expect(listened.end == .exited(0) && listened.errors == "")
            let final = try #require(listened.outputLines.first { $0.hasPrefix(#"{"type":"final""#) })
            #expect(final.contains(#""text":"January 11, 1971","heard":"\#(date.transcript)""#), "\(final)")
            // The rules do not change a guess.
            #expect(listened.outputLines.contains { $0.hasPrefix(#"{"type":"volatile","text":"january"#) })
            #expect(sandbox.text(of: "heard.txt") == "January 11, 1971\n")
            #expect(try await sandbox.outbox(["drain"]).exitCode == 0)
            #expect(sandbox.memos(in: "data/utter/notes") == ["January 11, 1971"])
        }

        @Test("An error in a list of rules or a file of replacements is reported before anything is heard")
        func mistakes() async throws {
            let list = try await transcribe(date.path, "--rules", "digits")
            #expect(
                list.end == .exited(64)
                    && list.errors.contains("--rules can't be 'digits': give some of numbers, capitals"))
            let file = sandbox.put("nonsense\n", in: "wrong.txt")
            let replacements = try await transcribe(date.path, "--replacements", file)
            #expect(replacements.end == .exited(65) && replacements.output == "")
            #expect(replacements.errors.contains("wrong.txt: line 1 has neither an equals sign nor a tab"))
        }
    }
}

extension MemoTests {
    @Suite struct Rules {
        @Test("In a memo a guess is shown as it was heard, and its final has digits and capitals")
        func memo() async throws {
            try await MemoTests.spokenScene(environment: ["UTTER_RULES": ""]) { terminal, microphone in
                // A mistake in the file does not keep the memo from listening.
                let folder = terminal.sandbox.file("home/.config/utter")
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                terminal.sandbox.put("nonsense", in: "home/.config/utter/replacements.txt")
                try await terminal.run("memo")
                try await terminal.expect("the slip") { lines in
                    lines.last?.hasPrefix("listening") == true
                        && lines.contains { $0.hasPrefix("your replacements are not made") }
                }
                try await microphone.play(MemoTests.date.path)
                try await terminal.endWithEnter()
                #expect(terminal.sandbox.memos == ["January 11, 1971"])
            }
        }
    }
}
