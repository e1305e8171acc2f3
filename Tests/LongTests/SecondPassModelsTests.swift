import Foundation
import Speech
import TestSupport
import Testing

@testable import utter

extension EndToEndTests {
    @Suite struct SecondPassModels {
        private let sandbox = Sandbox()
        private let name = ServedModelFile.name
        private static let real = SecondPassSetup.model
        private var quiet: [String: String] { ["UTTER_LIBTRANSCRIBE": Self.real?.library ?? sandbox.file("empty")] }

        @Test(
            "A model of the second pass is installed by its name, chosen, verified and removed, with a message each time",
            .long, .enabled(if: real != nil, "no library or model"))
        func wholeLife() async throws {
            let served = try await ServedModelFile(sandbox, copying: try #require(Self.real).path)
            served.list()
            let environment = quiet.merging(["UTTER_SECOND_PASS": ""]) { $1 }
            let installed = try await sandbox.models("install", name, environment: quiet)
            let kept = "utter: \(name) is not used as long as the variable UTTER_SECOND_PASS is none\n"
            installed.expectEnd(0, output: "", errors: "utter: installed \(name)\n\(kept)")
            #expect(served.isInstalled && served.store == ServedModelFile.tidy)
            let used = "utter: memo, listen, transcribe and type use \(name) from now on, for the second pass\n"
            #expect(
                try await sandbox.models("install", name, environment: environment).errors
                    == "utter: \(name) is installed already\n\(used)"
            )
            #expect(try await sandbox.models("path", name).output == sandbox.file("data/utter/models/\(name)\n"))

            // By the list this model is better than the one that Scripts/setup makes.
            let doctor = try await sandbox.doctor(environment: environment)
            let plan = "the detector of speech cuts, \(name) guesses while you speak, \(name) decides"
            #expect(doctor["second pass"]?.state == "ok" && doctor["second pass"]?.words.hasPrefix(plan) == true)
            let text = try await sandbox.transcribe(
                "-f", "jsonl", Sandbox.fixture("weekdays-awb.wav"), environment: environment)
            #expect(
                text.output.contains(#""text":"Monday, Wednesday, Friday, Sunday"#)
                    && text.output.contains(#""pass":"second""#))

            let verified = try await sandbox.models("verify", environment: quiet)
            let words = verified.errors.replacing(#/ in [0-9]+\.[0-9] s/#, with: " in … s")
            let whole = "utter: \(name) is as it was installed, loads in … s and hears a sentence\n"
            #expect(verified.end == .exited(0) && words == whole)
            let missing = try await sandbox.models(
                "verify", name, environment: ["UTTER_LIBTRANSCRIBE": sandbox.file("empty")])
            #expect(missing.end == .exited(69) && missing.errorLines.count == 1)
            #expect(
                missing.errors.contains("libtranscribe, which computes the second pass, is not installed"),
                "\(missing.errors)")

            let removed = try await sandbox.models("remove", name)
            #expect(
                removed.end == .exited(0) && removed.errors == "utter: removed \(name)\n"
                    && served.store == ["model-list.json"])
        }

        @Test(
            "A model for other languages than the first pass's is not used, and doctor says which would be",
            .enabled(if: real != nil, "no library or model"))
        func otherLanguage() async throws {
            let first = sandbox.file("data/utter/models/vosk-model-small-de-0.15")
            try FileManager.default.copyItem(atPath: Sandbox.model, toPath: first)
            let environment = quiet.merging(["UTTER_SECOND_PASS": ""]) { $1 }
            for (locale, text) in [
                ("en", "Monday, Wednesday, Friday, Sunday"), ("de", "monday wednesday friday sunday"),
            ] {
                let said = try await sandbox.transcribe(
                    "-l", locale, Sandbox.fixture("weekdays-awb.wav"), environment: environment)
                #expect(said.output.hasPrefix(text) && said.errors == "", "\(said.output)")
            }
            let doctor = try await sandbox.doctor(["-l", "de"], environment: environment)
            #expect(
                doctor["second pass"]?.words
                    == "none: no installed model for the second pass is known to understand de; to get one: "
                    + "utter models install canary-180m-flash; final text has no capitals and no punctuation"
            )
        }

        @Test(
            "A damaged file is reported, whether its checksum or libtranscribe shows it, and never as if it were a Vosk model"
        )
        func damaged() async throws {
            let served = try await ServedModelFile(sandbox)
            served.list()
            _ = try await sandbox.models("install", name)
            if Self.real != nil {
                let refused = try await sandbox.models("verify", name, environment: quiet)
                #expect(refused.end == .exited(69) && refused.errorLines.count == 1)
                #expect(
                    refused.errors.hasSuffix("it may be damaged or made for another version\n"), "\(refused.errors)")
            }
            sandbox.put(
                Array("GGUF".utf8) + served.bytes.dropFirst(5) + [0], in: "data/utter/models/\(name)/model.gguf")
            let changed = try await sandbox.models("verify", name, environment: quiet)
            #expect(changed.end == .exited(69))
            #expect(
                changed.errors.hasSuffix(
                    "has files that are not what was installed: model.gguf; remove it and install it again\n"))
            unlink(sandbox.file("data/utter/models/\(name)/model.gguf"))
            let lost = try await sandbox.models("verify", name, environment: quiet)
            #expect(
                lost.end == .exited(69) && lost.errors.hasSuffix("lacks model.gguf; remove it and install it again\n"))
        }

        @Test(
            "Verify takes the file of a model, and use says how one is configured",
            .enabled(if: real != nil, "no library or model"))
        func byPath() async throws {
            let path = try #require(Self.real).path
            let whole = try await sandbox.models("verify", path, environment: quiet)
            #expect(whole.end == .exited(0) && whole.errors.contains("hears a sentence"), "\(whole.errors)")
            let use = try await sandbox.models("use", path)
            #expect(use.exitCode == 64 && use.errors.hasSuffix("utter config set second-pass \(path)\n"))
        }

        @Test(
            "A model from a file is chosen for the user's language: its file says which it knows, and nobody said English",
            .enabled(if: real != nil, "no library or model"))
        func fromFile() async throws {
            let german = quiet.merging(["UTTER_SECOND_PASS": "", "LANG": "de_DE.UTF-8"]) { $1 }
            let used = "utter: memo, listen, transcribe and type use whisper-mine from now on, for the second pass\n"
            try FileManager.default.createDirectory(
                atPath: sandbox.file("whisper-mine"), withIntermediateDirectories: false)
            let many = sandbox.put(GGUFExample.file([1], languages: ["en", "de", "ko"]), in: "whisper-mine/model.gguf")
            let installed = try await sandbox.models("install", "--from", many, environment: german)
            installed.expectEnd(0, errors: "utter: installed whisper-mine\n\(used)")
            for (locale, language) in [("de_DE.UTF-8", "de"), ("ko_KR.UTF-8", "ko"), ("en_GB.UTF-8", "en")] {
                let chosen = try await sandbox.models(
                    "use", "whisper-mine", environment: german.merging(["LANG": locale]) { $1 })
                chosen.expectEnd(0, errors: "utter: whisper-mine is chosen for \(language)\n\(used)")
            }
            let nowhere = try await sandbox.models("use", "whisper-mine", environment: quiet)
            #expect(nowhere.exitCode == 64 && nowhere.errors.contains("say it with --locale"), "\(nowhere.errors)")
            let info = try await sandbox.models("info", "whisper-mine").output.replacing(#/ +/#, with: " ")
            #expect(info.contains("\nlanguage 3 languages\nlanguages en de ko\nfamily whisper\n"), "\(info)")
            _ = try await sandbox.models("remove", "whisper-mine", environment: german)

            let unknown = sandbox.put(GGUFExample.file([1]), in: "mine.gguf")
            let other = try await sandbox.models("install", "--from", unknown, environment: german)
            #expect(other.errors.hasSuffix("to use mine: utter models use --locale de mine\n"), "\(other.errors)")
            let chosen = try await sandbox.models("use", "mine", environment: german)
            #expect(chosen.errors.hasPrefix("utter: mine is chosen for de\n"), "\(chosen.errors)")

            // The list has no model of that name, but many of which it is a part.
            _ = try await sandbox.models("install", "model", "--from", unknown, environment: german)
            _ = try await sandbox.models("use", "model", environment: german)
            let removed = try await sandbox.models("remove", "model", environment: german)
            #expect(removed.errors.contains("after this, ") && !removed.errors.contains("again"), "\(removed.errors)")
        }

        @Test("The list has a section for each pass, and info shows all that is known")
        func list() async throws {
            let served = try await ServedModelFile(sandbox)
            served.list(language: "de")
            let lines = try await sandbox.models("list", "de").outputLines
            #expect(lines.first == "To take for de on this machine: utter models install de", "\(lines)")
            let advised = "\(name) 2.0 MB to fetch, about 102 MB of memory, MIT"
            #expect(lines.line(1).split(separator: " ").joined(separator: " ") == advised, "\(lines)")
            #expect(lines.contains("To be had with utter models install, first pass:"))
            #expect(lines.contains("To be had with utter models install, second pass:"))
            #expect(
                lines.contains {
                    $0.hasPrefix("  \(name) ") && $0.contains("Served (de)")
                        && $0.hasSuffix("MIT  take this one")
                },
                "\(lines)")
            #expect(lines.contains { $0.hasPrefix("  parakeet-tdt-0.6b-v3 ") && $0.contains("25 languages") })
            let german = try await sandbox.models("list", "--pass", "second", "german").outputLines
            #expect(german.count > 3 && !german.contains { $0.contains("vosk-model") }, "\(german)")
            #expect(try await sandbox.models("list", "en").output.contains("French") == false)
            _ = try await sandbox.models("install", name)
            #expect(
                try await sandbox.models("list", "-i", "--pass", "second", "de").outputLines == [
                    "Installed, second pass:",
                    "  \(name)  Served (de)  2.0 MB",
                ])

            let json = Data(try await sandbox.models("info", name, "--json").output.utf8)
            let record = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
            let rate = (record["errorRates"] as? [[String: Any]])?.first
            #expect(record["pass"] as? String == "second" && record["installed"] as? Bool == true)
            #expect(record["family"] as? String == "whisper" && record["languages"] as? [String] == ["de"])
            #expect(record["quantization"] as? String == "F16" && record["times"] as? String == "segment")
            #expect(record["license"] as? String == "MIT" && record["checksum"] as? String == "sha256:" + served.sha256)
            #expect(rate?["percent"] as? Double == 1.5 && rate?["source"] as? String == "https://a.example/page")
            let info = try await sandbox.models("info", name).output.replacing(#/ +/#, with: " ")
            #expect(
                info.contains("\npass second\n")
                    && info.contains("\nerrors 1.5 % of words wrong, LibriSpeech test-clean\n"), "\(info)")
            #expect(!info.contains("sample rate") && !info.contains("another file"))
            // Such as the file that Scripts/setup makes: the list's file has another size.
            sandbox.put(
                GGUFExample.file([UInt8](repeating: 0, count: 3_400_000)), in: "data/utter/models/\(name)/model.gguf")
            let other = try await sandbox.models("info", name).output.replacing(#/ +/#, with: " ")
            #expect(
                other.contains("\nfile 2.0 MB\n") && other.contains("\n another file than the one above, of 3.4 MB\n"))
        }

        @Test(
            "Who chooses a model of libvosk beside a stronger one is told that the stronger one decides",
            .enabled(if: real != nil, "no library or model"))
        func besideStronger() async throws {
            let used = try await sandbox.models("use", "vosk-model-tiny-en", environment: ["UTTER_SECOND_PASS": ""])
            used.expectEnd(
                0,
                errors: """
                    utter: vosk-model-tiny-en is chosen for en
                    utter: whisper-tiny.en decides on the text, and vosk-model-tiny-en is not used; to let vosk-model-tiny-en \
                    decide: utter config set second-pass none\n
                    """)
        }

        @Test("For a language the model of the first pass is installed and the second's is named, or --pass chooses")
        func passes() async throws {
            let served = try await ServedModelFile(sandbox)
            let archive = try await ModelArchive(sandbox)
            served.list(language: "eo", more: "," + archive.listText("/plain/m.zip").dropFirst().dropLast())
            let first = try await sandbox.models("install", "eo")
            #expect(
                first.errors == """
                    utter: installed \(ModelArchive.name)
                    utter: memo, listen, transcribe and type use \(ModelArchive.name) from now on
                    utter: for capitals and punctuation there is \(name) (2.0 MB): utter models install --pass second eo\n
                    """)
            #expect(try await sandbox.models("install", "-q", "eo").errors == "")
            let both = try await sandbox.models("install", "--pass", "both", "eo", environment: quiet)
            let used = "utter: memo, listen, transcribe and type use \(ModelArchive.name) from now on\n"
            #expect(
                both.errors == "utter: \(ModelArchive.name) is installed already\nutter: installed \(name)\n\(used)"
                    + "utter: \(name) is not used as long as the variable UTTER_SECOND_PASS is none\n")
            #expect(archive.isInstalled && served.isInstalled)
            // Both are installed, so no other is named.
            #expect(
                try await sandbox.models("install", "eo").errors
                    == "utter: \(ModelArchive.name) is installed already\n\(used)")

            for (arguments, code, words) in [
                (["--pass", "second", "klingon"], 69, "there is no model klingon in the list"),
                (
                    ["--pass", "first", name], 64,
                    "\(name) is a model of the second pass; --pass chooses what is installed for a language"
                ),
                (["--pass", "both", name], 64, "\(name) is a model of the second pass"),
                (["--pass", "both", "--from", "x.gguf"], 64, "--pass and --from can't go together"),
                (["--pass", "third", "eo"], 64, "--pass can't be 'third': choose first, second or both"),
            ] as [([String], Int32, String)] {
                let refused = try await sandbox.utter(["models", "install"] + arguments)
                #expect(
                    refused.end == .exited(code) && refused.errors.hasPrefix("utter: \(words)"), "\(refused.errors)")
            }
        }

        @Test("On a terminal both are shown with their sizes, and the user's answer counts", .needs("tmux"))
        func question() async throws {
            let served = try await ServedModelFile(sandbox)
            let archive = try await ModelArchive(sandbox)
            served.list(language: "eo", more: "," + archive.listText("/plain/m.zip").dropFirst().dropLast())
            func answered(_ keys: String...) async throws -> [String] {
                let line = "\"$UTTER\" models install eo; echo exit $?"
                return try await sandbox.terminal(line, environment: sandbox.environment(quiet)) { terminal in
                    try await terminal.stream.wait(forOutput: "[B/f/s/n] ")
                    for key in keys.dropLast() {
                        try await terminal.press(key, "Enter")
                        try await terminal.stream.wait(forOutput: "n for none: ")
                    }
                    try await terminal.press(keys[keys.count - 1], "Enter")
                    try await terminal.stream.wait(forOutput: "exit 0")
                }.screen
            }
            let asked = try await answered("n")
            #expect(
                asked == [
                    "For eo there are:",
                    "  first pass: \(ModelArchive.name), \(ModelRecord.size(archive.bytes.count)), which hears while you speak",
                    "  second pass: \(name), 2.0 MB, which then writes capitals and punctuation",
                    "Install both, the first, the second, or none? [B/f/s/n] n", "exit 0",
                ], "\(asked)")
            #expect(served.store == ["model-list.json"])
            let corrected = try await answered("w", "n")
            #expect(
                corrected.suffix(3) == [
                    "Install both, the first, the second, or none? [B/f/s/n] w",
                    "b for both, f for the first, s for the second, or n for none: n", "exit 0",
                ], "\(corrected)")
            #expect(served.store == ["model-list.json"])
            _ = try await answered("f")
            #expect(archive.isInstalled && !served.isInstalled)
            let second = try await answered("b")
            #expect(second.contains { $0.contains("first pass: \(ModelArchive.name), installed already") }, "\(second)")
            #expect(served.isInstalled)
        }

        @Test("A file without a known checksum is verified with the server's, or a warning says that there is none")
        func unlisted() async throws {
            let served = try await ServedModelFile(sandbox)
            for (path, words) in [
                (
                    "/hub/plain/m.gguf",
                    "installed \(name); its SHA-256 is the one that 127.0.0.1 gave with it: the list has none"
                ),
                (
                    "/plain/m.gguf",
                    "installed \(name), which could not be verified: neither the list nor the server has a SHA-256"
                ),
            ] {
                served.list(path, hasChecksum: false)
                #expect(
                    try await sandbox.models("install", name, environment: quiet).errorLines.first == "utter: \(words)")
                #expect(served.isInstalled)
                _ = try await sandbox.models("remove", name)
            }
            let wrong = try await sandbox.models(
                "install", "mine", "--from", served.server.address + "/wrong-hub/plain/m.gguf")
            #expect(
                wrong.end == .exited(65) && wrong.errors.contains("SHA256 is not the one it must have"),
                "\(wrong.errors)")
            #expect(served.store == ["model-list.json"])
        }
    }
}
