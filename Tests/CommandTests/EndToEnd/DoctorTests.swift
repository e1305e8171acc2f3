import Foundation
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of `utter doctor` on a complete machine, and with the most frequent faults.
    @Suite struct DoctorOnHealthyMachine {
        private let sandbox = Sandbox()
        private let machine: Sandbox.HealthyMachine

        init() throws { machine = try sandbox.makeHealthy() }

        @Test("If nothing is missing, the doctor reports each part as fine, in a line each")
        func green() async throws {
            let diagnosis = try await machine.doctor()
            #expect(diagnosis.isGreen && diagnosis.errors == "", "\(diagnosis.complaints)")
            #expect(
                diagnosis.findings.map(\.subject) == [
                    "configuration", "libvosk", "curl, unzip", "model", "second pass", "vocabulary", "replacements",
                    "microphone",
                    "real-time priority",
                    "notes", "journal", "outbox", "privacy", "ffmpeg", "locale", "terminal",
                ])
            #expect(diagnosis.lines == [])
            #expect(diagnosis["model"]?.withoutTime == .fine("\(Sandbox.dictationModel) loads in … s"))
            #expect(diagnosis["microphone"] == .fine("\(machine.device.deviceName) delivers sound at 48000 Hz, 1 ch"))
            #expect(diagnosis["notes"] == .fine(sandbox.file("data/utter/notes")))
            #expect(diagnosis["outbox"] == .fine("nothing is waiting"))
            #expect(
                diagnosis["libvosk"]?.words.hasPrefix("0.3.") == true
                    && diagnosis["libvosk"]?.words.hasSuffix("/libvosk.so") == true)
            // The doctor kept no memo.
            #expect(sandbox.names(in: "data/utter/notes") == [] && sandbox.journalNames == [])
            #expect(sandbox.names(in: "state/utter/outbox") == [])

            // The same as text, and without a terminal, even if the tests have one.
            let text = try await sandbox.utter(["doctor"], under: ["setsid", "-w"], environment: machine.environment)
            #expect(text.outputLines.count { $0.hasPrefix("ok       ") } >= 10 && text.errors == "")
            #expect(text.end == .exited(0) && text.output.contains("lacking  terminal            there is none here"))
        }

        @Test("A setting that names a destination which is not there is found, and its line mends it")
        func unknownDestinations() async throws {
            let settings = "config/utter/config.json"
            try FileManager.default.createDirectory(
                atPath: sandbox.file("config/utter"), withIntermediateDirectories: true)
            sandbox.put(#"{"listen-to": "nowhere"}"#, in: settings)
            let listening = try await machine.doctor()
            let words = "is set, but 'nowhere' is not a destination: there is notes"
            listening.expectFault(
                on: "destinations", "lacking", "listen-to \(words)", lines: ["utter config unset listen-to"])
            sandbox.put(#"{"memo-to": ["notes", "nowhere"]}"#, in: settings)
            let memo = try await machine.doctor()
            memo.expectFault(on: "destinations", "broken", "memo-to \(words)", lines: ["utter config unset memo-to"])
            #expect(try await machine.doctor(after: memo.lines).isGreen)
        }

        @Test("The replacements are checked: their number, an invalid line, and a missing file that is set")
        func replacements() async throws {
            let path = Writing.replacementsPath(sandbox.environment(machine.environment))
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            #expect(try await machine.doctor()["replacements"] == .fine("none: words of your own may stand in \(path)"))
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("um =\ndata type = data-type\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(try await machine.doctor()["replacements"] == .fine("2 in \(path)"))
            try Data("um =\ndata type data-type\n".utf8).write(to: URL(fileURLWithPath: path))
            let wrong = try await machine.doctor()
            #expect(
                wrong["replacements"]?.state == "lacking"
                    && wrong["replacements"]?.words.contains("line 2 has neither") == true)
            #expect(wrong.lines == ["${EDITOR:-nano} \(path)"] && wrong.exitCode == 0)
            // A file that the user chose is required: without it no memo begins.
            let chosen = try await machine.doctor(set: ["UTTER_REPLACEMENTS": "/none/such"])
            #expect(
                chosen["replacements"]?.state == "broken" && chosen.lines == ["unset UTTER_REPLACEMENTS"]
                    && chosen.exitCode == 69)
        }

        @Test("A vocabulary and a model of the second pass without which no memo begins are reported as broken")
        func named() async throws {
            let words = sandbox.put("\u{FEFF}# names\nAda\nGrace\n", in: "words.txt")
            #expect(
                try await machine.doctor("--vocabulary", words)["vocabulary"] == .fine("2 phrases in \(words)"))
            sandbox.put([], in: "words.txt")
            let empty = try await machine.doctor("--vocabulary", words)
            #expect(empty["vocabulary"]?.state == "broken" && empty.lines == ["${EDITOR:-nano} \(words)"])
            let missing = try await machine.doctor("--vocabulary", "/none/such")
            #expect(missing["vocabulary"]?.state == "broken" && missing.exitCode == 69)
            let model = try await machine.doctor("--second-pass", "/none/such.gguf")
            #expect(model["second pass"]?.state == "broken" && model.exitCode == 69)
        }

        @Test("Where no model knows the locale's language, one for it is offered, also if there is one for English")
        func otherLanguage() async throws {
            let german = try await machine.doctor(set: ["UTTER_MODEL": nil, "LANG": "de_DE.UTF-8"])
            let why = "no installed model knows de, the language of your locale"
            #expect(
                german["model"]?.withoutTime
                    == Diagnosis.Finding(
                        state: "lacking", words: "\(Sandbox.dictationModel) loads in … s; \(why)",
                        lines: ["utter models install de-DE"]))
            let set = try await machine.doctor("--locale", "en", set: ["UTTER_MODEL": nil, "LANG": "de_DE.UTF-8"])
            #expect(set["model"]?.state == "ok")
        }

        @Test(
            "The doctor, the list of models and the configuration agree on whether libvosk's model is used",
            .needsSecondPass)
        func whetherLibvoskIsUsed() async throws {
            for (secondPass, isUsed) in [(SecondPassSetup.environment, false), (["UTTER_SECOND_PASS": "none"], true)] {
                let environment = secondPass.merging(["UTTER_MODEL": "vosk-model-tiny-en"]) { $1 }
                let doctor = try await machine.doctor(set: environment.mapValues { Optional($0) })["model"]
                #expect(doctor?.words.hasPrefix("none of libvosk's is used") == !isUsed, "\(doctor?.words ?? "")")
                func words(_ arguments: String...) async throws -> String {
                    try await sandbox.utter(arguments, environment: environment).output
                }
                let list = try await words("models", "list", "--installed", "--pass", "first")
                #expect(list.contains("in use\n") == isUsed, "\(list)")
                #expect(try await words("models", "info", "vosk-model-tiny-en").contains("\nin use ") == isUsed)
                let setting = try await words("config", "show", "model")
                #expect(setting.contains("/vosk-model-tiny-en, not used  [") == !isUsed, "\(setting)")
            }
        }

        @Test("The plan is reported: who cuts, guesses and decides", .needsSecondPass)
        func plan() async throws {
            let environment = SecondPassSetup.environment.mapValues { Optional($0) }
            let name = try #require(SecondPassSetup.model?.name)
            // RecognitionPlanTests have the others.
            let found = try await machine.doctor("--guess", "pauses", set: environment)["second pass"]
            let plan = "the detector of speech cuts, \(name) guesses at pauses, \(name) decides"
            #expect(found?.state == "ok" && found?.words.hasPrefix(plan) == true, "\(found?.words ?? "")")
            let none = try await machine.doctor()["second pass"]
            let sentence = "none, as it is set: \(Sandbox.dictationModel) (libvosk) cuts, guesses and decides"
            #expect(none?.state == "ok" && none?.words.hasPrefix(sentence) == true, "\(none?.words ?? "")")
        }

        @Test("A missing model is reported with the command that installs it")
        func missingModel() async throws {
            let here = "there are: \(Sandbox.dictationModel), vosk-model-tiny-en"
            for (options, words, lines) in [
                (
                    ["--model", "vosk-model-small-de-0.15"],
                    "no model named vosk-model-small-de-0.15 is installed; \(here); to get one: utter models install vosk-model-small-de-0.15",
                    ["utter models install vosk-model-small-de-0.15"]
                ),
                (
                    ["--locale", "fr"], "no model for fr is installed; \(here); to get one: utter models install fr",
                    ["utter models install fr"]
                ),
                (
                    ["--model", "nonesuch"], "no model named nonesuch is installed; \(here)",
                    ["export UTTER_MODEL=\(Sandbox.dictationModel)"]
                ),
                (
                    ["--model", "/none/such"], "there is no model folder /none/such",
                    ["export UTTER_MODEL=\(Sandbox.dictationModel)"]
                ),
                (
                    ["--model", Sandbox.fixture("memo.wav")],
                    "\(Sandbox.fixture("memo.wav")) is a file; a model is a folder (unpack the archive first)",
                    ["export UTTER_MODEL=\(Sandbox.dictationModel)"]
                ),
            ] as [([String], String, [String])] {
                let diagnosis = try await sandbox.doctor(options, environment: machine.environment)
                #expect(diagnosis.exitCode == 69)
                #expect(diagnosis["model"]?.state == "broken" && diagnosis["model"]?.words == words)
                #expect(diagnosis.lines == lines)
            }
            let chosen = try await machine.doctor(set: ["UTTER_MODEL": "nonesuch"])
            #expect(try await machine.doctor(after: chosen.lines, set: ["UTTER_MODEL": "nonesuch"]).isGreen)
        }
    }
}
