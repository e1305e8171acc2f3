import Foundation
import Glibc
import Testing

extension EndToEndTests {
    /// Tests of which model is used, what is printed about it, and what it listens for.
    @Suite struct Models {
        private let sandbox = Sandbox()
        private let digits = Recording.named("digits-slt.wav")

        private func copyModel() throws -> String {
            let path = sandbox.file("copy")
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: Sandbox.model, toPath: path)
            return path
        }

        /// The name of the model that was used.
        private func model(_ options: String..., environment: [String: String] = [:]) async throws -> String? {
            let finished = try await sandbox.transcribe(
                options + ["-f", "json", digits.path], environment: environment)
            #expect(finished.errors == "")
            let object = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
            return object?["model"] as? String
        }

        // ModelReferenceTests test which of several models fits a language, and Configuration the precedence of options and variables.
        @Test("A model is found by its path, in an option and in UTTER_MODEL, and the built-in one when none is chosen")
        func byPath() async throws {
            let copy = try copyModel()
            #expect(try await model("--model", copy) == "copy")
            #expect(try await model("-m", copy + "/") == "copy")
            #expect(try await model(environment: ["UTTER_MODEL": copy]) == "copy")
            #expect(try await model(environment: ["UTTER_MODEL": ""]) == "vosk-model-tiny-en")
        }

        @Test(
            "For a model that lacks a file, the error says which, and nothing is transcribed with it",
            arguments: [
                "am/final.mdl", "graph/disambig_tid.int",
            ])
        func incomplete(file: String) async throws {
            let copy = try copyModel()
            unlink(copy + "/" + file)
            let finished = try await sandbox.transcribe("--model", copy, "-f", "json", digits.path, digits.path)
            #expect(finished.end == .exited(69))
            #expect(finished.output == "")
            let ours = finished.errorLines.filter { $0.hasPrefix("utter: ") }
            #expect(ours.count == 1)
            #expect(ours.first?.contains(file) == true && ours.first?.contains(copy) == true)
        }

        @Test(
            "A damaged model is reported in one line with libvosk's reason, once for all files, and the old output is left alone"
        )
        func damaged() async throws {
            let copy = try copyModel()
            sandbox.put("garbage", in: "copy/am/final.mdl")
            sandbox.put("old", in: "out.json")
            for options in [[], ["-j", "2"], ["-o", sandbox.file("out.json")]] {
                let finished = try await sandbox.transcribe(
                    options + ["--model", copy, "-f", "json", digits.path, digits.path])
                #expect(finished.end == .exited(69))
                #expect(finished.output == "")
                #expect(finished.errorLines.count == 1)
                #expect(finished.errors.hasPrefix("utter: libvosk can't load the model \(copy): "))
                #expect(finished.errors.contains("<TransitionModel>"))
            }
            #expect(sandbox.text(of: "out.json") == "old")
        }

        @Test("The limits of the built-in model are reported once, at its first use")
        func announcement() async throws {
            let state = ["XDG_STATE_HOME": sandbox.file("fresh")]
            let mark = "fresh/utter/built-in-model-announced"
            // Not with --quiet, or when the user has chosen a model.
            for options in [["-q"], ["--model", "vosk-model-tiny-en"], ["--locale", "en"]] {
                #expect(try await sandbox.transcribe(options + [digits.path], environment: state).errors == "")
                #expect(sandbox.text(of: mark) == nil)
            }
            #expect(
                try await sandbox.transcribe(
                    digits.path, environment: state.merging(["UTTER_MODEL": "vosk-model-tiny-en"]) { $1 }
                ).errors == "")
            let first = try await sandbox.transcribe(digits.path, environment: state)
            #expect(first.errors.hasPrefix("utter: the built-in model knows 133 words"))
            #expect(
                first.errors.contains("can't take dictation")
                    && first.errors.contains("\n  utter models install en-us\n"))
            #expect(first.output == digits.transcript + "\n")
            for _ in 0..<2 {
                #expect(try await sandbox.transcribe(digits.path, environment: state).errors == "")
            }
            // If the variable holds no usable path, the folder is the one in the home folder.
            for value in ["", "relative"] {
                try? FileManager.default.removeItem(atPath: sandbox.file("home/.local"))
                let environment = ["XDG_STATE_HOME": value]
                #expect(try await sandbox.transcribe(digits.path, environment: environment).errors != "")
                #expect(sandbox.names(in: "home/.local/state/utter") == ["built-in-model-announced"])
            }
        }

        @Test("A vocabulary restricts what is heard; words that the model does not know are named")
        func vocabulary() async throws {
            let lights = Recording.named("lights-slt.wav")
            let options = lights.phrases.flatMap { ["--phrase", $0] }
            let known = try await sandbox.transcribe(options + [lights.path])
            #expect(known.output == lights.transcript + "\n")
            #expect(known.errors == "")

            let list = "# a comment\n\n" + lights.phrases.joined(separator: "\r\n") + "\nzebra crossing\n"
            let path = sandbox.put(list, in: "words.txt")
            let some = try await sandbox.transcribe("--vocabulary", path, lights.path)
            #expect(some.output == lights.transcript + "\n")
            #expect(some.errorLines.count == 1)
            #expect(some.errors.hasSuffix("does not know these words, and can't hear them: zebra, crossing\n"))
            let quiet = try await sandbox.transcribe("-q", "--vocabulary", path, lights.path)
            #expect(quiet.errors == "" && quiet.output == some.output)

            let none = try await sandbox.transcribe("--phrase", "zebra crossing", lights.path, digits.path)
            #expect(none.end == .exited(78))
            #expect(none.output == "")
            #expect(none.errorLines.count == 1)
            #expect(none.errors.contains("zebra, crossing"))
        }

        @Test("A vocabulary that can't be read is reported in one line")
        func badVocabulary() async throws {
            let empty = sandbox.put("# nothing\n\n", in: "empty.txt")
            let binary = sandbox.put([0xFF, 0xFE, 0x00, 0x80], in: "binary.txt")
            // A pipe that nobody writes to keeps no command waiting.
            let pipe = sandbox.file("pipe")
            #expect(mkfifo(pipe, 0o600) == 0)
            for (path, code) in [
                (empty, 65), (binary, 65), (sandbox.file("missing.txt"), 66), (sandbox.path, 66), (pipe, 66),
            ] as [(String, Int32)] {
                let finished = try await sandbox.transcribe("--vocabulary", path, digits.path)
                #expect(finished.end == .exited(code))
                #expect(finished.errorLines.count == 1)
                #expect(finished.errors.contains(path))
            }
        }

        @Test("Alternatives come with the text to which they are alternatives, the likeliest first")
        func alternatives() async throws {
            let finished = try await sandbox.transcribe("-f", "json", "--alternatives", "3", digits.path)
            let object = try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: Any]
            let segment = try #require((object?["segments"] as? [[String: Any]])?.first)
            let alternatives = try #require(segment["alternatives"] as? [[String: Any]])
            #expect((2...3).contains(alternatives.count))
            let texts = alternatives.compactMap { $0["text"] as? String }
            #expect(texts.first == digits.transcript && Set(texts).count == alternatives.count)
            let confidences = alternatives.compactMap { $0["confidence"] as? Double }
            #expect(confidences == confidences.sorted(by: >) && confidences.allSatisfy { (0...1).contains($0) })
            #expect(try await sandbox.transcribe("--alternatives", "3", digits.path).output == digits.transcript + "\n")
        }

        @Test("The silence that ends an utterance can be chosen, and changes the cuts but not the words")
        func endpointSilence() async throws {
            let memo = Recording.named("memo.wav")
            var counts: [Int] = []
            for silence in ["0.1", "0.5", "3"] {
                let finished = try await sandbox.transcribe("--endpoint-silence", silence, memo.path)
                #expect(finished.outputLines.joined(separator: " ") == memo.transcript)
                counts.append(finished.outputLines.count)
            }
            #expect(counts[0] > counts[1] && counts[1] == 5 && counts[2] < counts[1])
        }
    }
}
