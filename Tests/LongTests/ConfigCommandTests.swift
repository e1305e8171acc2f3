import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    /// Tests of `utter config` and of the effect of settings.
    @Suite struct Configuration {
        private let sandbox = Sandbox()
        private var path: String { sandbox.file("home/.config/utter/config.json") }

        init() throws {
            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
        }

        private func configure(_ text: String) { sandbox.put(text, in: "home/.config/utter/config.json") }

        private func utter(
            _ arguments: String..., environment: [String: String] = [:], under wrapper: [String] = []
        ) async throws -> Program.Finished {
            try await sandbox.utter(
                arguments, under: wrapper,
                environment: ["UTTER_SECOND_PASS": "", "UTTER_RULES": ""].merging(environment) { $1 })
        }

        private func shown(_ environment: [String: String] = [:]) async throws -> [String: [String: String?]] {
            let finished = try await utter("config", "--json", environment: environment)
            #expect(finished.end == .exited(0) && finished.errors == "")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(finished.output.utf8)) as? [String: [String: Any]])
            return object.mapValues { $0.mapValues { $0 as? String } }
        }

        private func row(_ key: String, _ value: String, _ origin: String) -> String {
            "\(key.padding(toLength: 17, withPad: " ", startingAt: 0))  \(value)  [\(origin)]"
        }

        @Test("If nothing is set, each key is shown with its default, including paths")
        func defaults() async throws {
            let table = try await utter("config")
            #expect(table.end == .exited(0) && table.errors == "")
            let notes = sandbox.file("data/utter/notes")
            #expect(table.outputLines.filter { $0.hasSuffix("[default]") }.count == Setting.all.count)
            for line in [
                row("model", "vosk-model-tiny-en, \(Sandbox.model), not used", "default"),
                row("locale", "none", "default"),
                row("device-rate", "48000", "default"), row("notes", notes, "default"),
                row("memo-to", "all that are configured", "default"),
            ] { #expect(table.outputLines.contains(line), "\(line) \(table.output)") }
            #expect(table.output.hasSuffix("\n\n\(path) (not there)\n"))
            let json = try await shown()
            #expect(Set(json.keys) == Set(Setting.all.map(\.key)))
            #expect(json["model"] == ["value": "vosk-model-tiny-en", "source": "default"])
            let words = sandbox.file("home/.config/utter/replacements.txt")
            #expect(
                table.outputLines.contains(
                    row("replacements", "none; words of your own may stand in \(words)", "default")))
            sandbox.put([], in: "home/.config/utter/replacements.txt")
            #expect(try await shown()["replacements"] == ["value": words, "source": "default"])
            #expect(
                json["notes"] == ["value": notes, "source": "default"]
                    && json["vocabulary"] == ["value": nil, "source": "default"])
        }

        @Test("Each key is shown with its value and its source, and the environment takes precedence over the file")
        func sources() async throws {
            configure(
                #"{"model": "tiny", "vocabulary": "/v", "endpoint-silence": 0.8, "device": "d", "device-rate": 44100, "device-channels": "2", "notes": "~/n", "memo-to": ["a", "b"], "volatile": true}"#
            )
            let file = try await utter("config")
            for line in [
                row("model", "tiny: vosk-model-tiny-en, \(Sandbox.model), not used", "file"),
                row("vocabulary", "/v", "file"),
                row("endpoint-silence", "0.8", "file"), row("device", "d", "file"), row("device-rate", "44100", "file"),
                row("device-channels", "2", "file"), row("notes", sandbox.file("home/n"), "file"),
                row("memo-to", "a, b", "file"),
                row("volatile", "true", "file"),
            ] { #expect(file.outputLines.contains(line), "\(line) \(file.output)") }
            let both = try await shown(["UTTER_MODEL": "M", "UTTER_DEVICE": "D", "UTTER_NOTES": "/N"])
            for (key, value, source) in [
                ("model", "M", "UTTER_MODEL"), ("device", "D", "UTTER_DEVICE"), ("notes", "/N", "UTTER_NOTES"),
                ("device-rate", "44100", "file"),
            ] { #expect(both[key] == ["value": value, "source": source]) }
            // An empty variable is ignored.
            #expect(try await shown(["UTTER_DEVICE": ""])["device"] == ["value": "d", "source": "file"])

            configure(#"{"locale": "de"}"#)
            #expect(try await shown()["locale"] == ["value": "de", "source": "file"])
            // A model in the environment overrides the language in the file.
            let model = try await shown(["UTTER_MODEL": "M"])
            #expect(model["locale"] == ["value": nil, "source": "default"])
            #expect(
                try await utter("config", environment: ["XDG_CONFIG_HOME": sandbox.file("elsewhere")]).output.hasSuffix(
                    "\n\(sandbox.file("elsewhere"))/utter/config.json (not there)\n"))
        }

        @Test("A key is set and unset by the rules of the file, whose other lines, order and place do not change")
        func changes() async throws {
            let original = "{\n\t\"zebra\": [1, 2],\n\t\"device\": \"hw:1\"\n}\n"
            // The file is a symbolic link to a folder with all configurations.
            sandbox.put(original, in: "kept.json")
            symlink(sandbox.file("kept.json"), path)
            for arguments in [
                ["endpoint-silence", ".80"], ["volatile", "true"], ["memo-to", "notes", "work"], ["notes", "vault"],
                ["device", "default"], ["replacements", "none"],
            ] {
                let set = try await utter(
                    "config", "set", "-q", arguments[0], arguments[1], arguments.count > 2 ? arguments[2] : "--quiet")
                #expect(set.end == .exited(0) && set.output == "" && set.errors == "", "\(arguments) \(set.errors)")
            }
            let folder = FileManager.default.currentDirectoryPath
            #expect(
                sandbox.text(of: "kept.json")
                    == "{\n\t\"zebra\": [1, 2],\n\t\"device\": \"default\",\n\t\"endpoint-silence\": 0.8,\n\t\"volatile\": true,\n"
                    + "\t\"memo-to\": [\"notes\", \"work\"],\n\t\"notes\": \"\(folder)/vault\",\n\t\"replacements\": \"none\"\n}\n"
            )
            for key in ["endpoint-silence", "volatile", "memo-to", "notes", "replacements"] {
                _ = try await utter("config", "unset", "-q", key)
            }
            // What is shown where nothing is set sets nothing.
            for key in ["exec", "vocabulary", "memo-save-audio", "until-silence"] {
                for value in ["5", "none"] { _ = try await utter("config", "set", "-q", key, value) }
            }
            #expect(sandbox.text(of: "kept.json") == original.replacing("hw:1", with: "default"))
            // The link leads to a file that is made then.
            unlink(sandbox.file("kept.json"))
            #expect(try await utter("config", "set", "-q", "device", "hw:2").end == .exited(0))
            #expect(sandbox.text(of: "kept.json") == "{\n  \"device\": \"hw:2\"\n}\n")
            #expect(
                sandbox.names() == ["data", "empty", "home", "kept.json", "state"]
                    && sandbox.names(in: "home/.config/utter") == ["config.json"])

            // Invalid values leave the file unchanged.
            for (arguments, code, words) in [
                (
                    ["set", "device-rate", "12"], 64,
                    "device-rate can't be '12': give a whole number from 1000 to 768000"
                ),
                (["set", "devise", "x"], 64, "devise is not a setting; did you mean device?"),
                (["set", "device", "a", "b"], 64, "device is one value; quote what is one: 'a b'"),
                (["set", "models", "x"], 64, "models of the first pass are chosen with: utter models use MODEL"),
                (["unset", "nonesuch"], 64, "nonesuch is not a setting"),
                (["set", "device"], 64, "a VALUE is missing"),
            ] as [([String], Int32, String)] {
                let refused = try await sandbox.utter(["config"] + arguments)
                #expect(refused.end == .exited(code) && refused.errors.contains(words), "\(refused.errors)")
            }
            sandbox.put("{\"device\": \"x\",}", in: "kept.json")
            let broken = try await utter("config", "set", "device", "y")
            #expect(
                broken.end == .exited(78)
                    && broken.errors.hasSuffix(": in line 1, column 15 a comma stands after the last entry\n"))
            #expect(sandbox.text(of: "kept.json") == "{\"device\": \"x\",}")
        }

        @Test(
            "The line and the heading of the day's note follow the settings; an invalid template is refused with the reason"
        )
        func noteStyle() async throws {
            for (key, value, reason) in [
                ("line", "- {time}", "a line template needs {text} once, as in '- {time} {text}'"),
                ("line", "- {tme} {text}", "a line template takes {time}, {date} and {text}, and no {tme}"),
                ("heading", "##", "give one line with words, as in '## Memos'"),
                ("heading", "a\nb", "give one line with words"),
            ] {
                let refused = try await utter("config", "set", key, value)
                #expect(refused.end == .exited(64) && refused.errors.contains(reason), "\(refused.errors)")
            }
            configure(#"{"line": "{tme} {text}"}"#)
            let wrong = try await utter("config")
            #expect(
                wrong.end == .exited(78) && wrong.errors.contains("line can't be '{tme} {text}': a line template"),
                "\(wrong.errors)")
            configure("{}")
            #expect(try await shown()["line"] == ["value": "- {time} {text}", "source": "default"])
            for (key, value) in [("line", "- ({time}) {text}!"), ("heading", "Memos")] {
                #expect(try await utter("config", "set", key, value).end == .exited(0))
            }
            #expect(try await shown()["line"] == ["value": "- ({time}) {text}!", "source": "file"])
            #expect(try await shown()["heading"] == ["value": "## Memos", "source": "file"])
            for text in ["one", "two"] {
                #expect(try await utter("outbox", "add", "--no-drain", text).end == .exited(0))
                #expect(try await utter("outbox", "drain").end == .exited(0))
            }
            let lines = try await utter("notes").outputLines
            #expect(lines.count == 3 && lines[0] == "## Memos")
            #expect(
                zip(lines.dropFirst(), ["one", "two"]).allSatisfy {
                    $0.wholeMatch(of: /- \(\d\d:\d\d\) (.*)!/)?.output.1 == $1[...]
                })
            #expect(try await utter("notes", "undo").output.hasSuffix("  two\n"))
            #expect(try await utter("notes").outputLines == Array(lines[..<2]))
        }

        @Test(
            "A value that can't be used, or not yet, is reported, and so is a setting that overrides it or that it replaces"
        )
        func remarks() async throws {
            #expect(
                try await utter("config", "set", "locale", "eo").errorLines.first?.contains(
                    "no model for eo is installed") == true)
            let unknown = try await utter("config", "set", "locale", "de,Klingon")
            #expect(
                unknown.end == .exited(64) && unknown.errors.contains("Klingon is not a known language; see all with"))
            let country = try await utter("config", "set", "locale", "kr")
            #expect(
                country.end == .exited(64) && country.errors.contains("kr is not a known language; did you mean ko?"))
            let model = try await utter("config", "set", "model", "tiny-en", environment: ["UTTER_MODEL": "M"])
            #expect(
                model.errorLines == [
                    "utter: locale is not set any more: model takes its place",
                    "utter: the variable UTTER_MODEL goes before the file: model is M",
                ])
            #expect(
                try await utter("config", "set", "memo-to", "work").errors
                    == "utter: memo-to is set, but 'work' is not a destination: there is notes\n")
            #expect(try await utter("config", "unset", "device").errors == "utter: device is not set in \(path)\n")
        }

        @Test("A chosen model is taken out by the name that the table shows, and the key goes with the last one")
        func unsetChoice() async throws {
            configure(#"{"models": {"ko": "a", "de": "b"}, "second-pass-models": {"en": "model"}}"#)
            #expect(try await utter("config").output.contains("second-pass-models.en"))
            #expect(try await utter("config", "unset", "second-pass-models.en").end == .exited(0))
            #expect(try await utter("config", "unset", "models.ko").end == .exited(0))
            #expect(try await shown().keys.filter { $0.contains("models") } == ["models.de"])
            let again = try await utter("config", "unset", "models.ko")
            #expect(again.end == .exited(0) && again.errors == "utter: models.ko is not set in \(path)\n")
            let set = try await utter("config", "set", "models.ko", "a")
            #expect(
                set.end == .exited(64) && set.errors.contains("are chosen with: utter models use MODEL"),
                "\(set.errors)")
        }

        @Test(
            "The file is opened in the editor, created if it is missing, and checked afterwards, also if it was invalid before"
        )
        func edit() async throws {
            let first = try await utter("config", "edit", environment: ["EDITOR": "cat"])
            #expect(first.end == .exited(0) && first.output == "{}\n" && first.errors == "")
            let wrong = try await utter("config", "edit", environment: ["EDITOR": "sed -i s/{/{,/", "VISUAL": ""])
            #expect(
                wrong.end == .exited(78) && wrong.errors.hasSuffix("it is not JSON; to mend it: utter config edit\n"),
                "\(wrong.errors)")
            // VISUAL takes precedence over EDITOR.
            let mended = try await utter("config", "edit", environment: ["EDITOR": "false", "VISUAL": "sed -i s/,//"])
            #expect(
                mended.end == .exited(0) && mended.errors == ""
                    && sandbox.text(of: "home/.config/utter/config.json") == "{}\n")
            #expect(try await utter("config", "edit", environment: ["EDITOR": "false"]).end == .exited(69))
        }

        @Test("Every command warns of an unknown key unless it is quiet, and the other settings are used")
        func unknownKeys() async throws {
            configure(#"{"modle": "x", "device": "d", "no\u001b[2Jkey": 1}"#)
            let warnings = [
                "utter: the configuration \(path) sets modle, which is not known here; did you mean model?",
                "utter: the configuration \(path) sets no\\x1B[2Jkey, which is not known here",
            ]
            let shown = try await utter("config")
            #expect(
                shown.end == .exited(0) && shown.errorLines == warnings
                    && shown.outputLines.contains(row("device", "d", "file")))
            #expect(try await utter("models", "list", "-i").errorLines == warnings)
            #expect(try await utter("transcribe", Sandbox.fixture("digits-slt.wav")).errorLines == warnings)
            #expect(try await utter("transcribe", "-q", Sandbox.fixture("digits-slt.wav")).errors == "")
            configure(#"{"model": "vosk-model-tiny-en", "locale": "de"}"#)
            let both = try await utter("config")
            #expect(
                both.errors
                    == "utter: the configuration \(path) sets model and locale, of which one is enough; model holds\n"
                    && both.outputLines.contains(row("locale", "none", "default")))
        }

        // SettingsTests have the other invalid values.
        @Test(
            "For an invalid value every command prints one line with the file, the key and the valid values",
            arguments: [
                ("{", "is not a JSON object, such as {\"device\": \"hw:1\"}"),
                (#"{"device-rate": 12}"#, ": device-rate can't be '12': give a whole number from 1000 to 768000"),
                (#"{"notes": "vault"}"#, ": notes can't be 'vault': give a path that begins with / or ~/"),
            ] as [(String, String)])
        func refused(text: String, words: String) async throws {
            configure(text)
            for arguments in [
                ["config"], ["config", "--json"], ["models", "list"], ["devices"],
                ["transcribe", Sandbox.fixture("digits-slt.wav")],
            ] {
                let finished = try await sandbox.utter(arguments)
                #expect(finished.end == .exited(78) && finished.output == "", "\(arguments)")
                #expect(
                    finished.errorLines.count == 1 && finished.errors.hasPrefix("utter: the configuration \(path)"),
                    "\(finished.errors)")
                #expect(finished.errors.contains(words), "\(finished.errors)")
            }
            // Help still works.
            #expect(try await utter("config", "--help").end == .exited(0))
        }

        @Test("A file that can't be read is reported in one line with the reason")
        func unreadable() async throws {
            configure("{}")
            chmod(path, 0)
            let closed = try await utter("config", under: Sandbox.powerless)
            closed.expectEnd(78, errors: "utter: can't read the configuration \(path): Permission denied\n")
            unlink(path)
            mkdir(path, 0o700)
            let folder = try await utter("config")
            folder.expectEnd(78, errors: "utter: can't read the configuration \(path): Is a directory\n")
            rmdir(path)
            // Nobody writes to the pipe, and the command does not wait for that.
            mkfifo(path, 0o600)
            #expect(try await utter("config").end == .exited(78))
        }
    }
}
