import Foundation
import Testing

@testable import utter

@Suite("The settings")
struct SettingsTests {
    private func settings(_ file: String? = nil, _ environment: [String: String] = [:]) throws -> Settings {
        try Settings(path: "/c/config.json", file: file.map { Data($0.utf8) }, environment)
    }

    private func completed(
        _ words: [String], by specification: CommandSpecification = .listen, _ settings: Settings
    ) throws -> ParsedArguments {
        guard case .arguments(let arguments) = try ArgumentParser.parse(words, by: specification) else {
            throw UsageError(message: "no arguments", helpCommand: "")
        }
        return settings.completing(arguments)
    }

    private func complaint(_ file: String?, _ environment: [String: String] = [:]) -> CommandError? {
        do {
            _ = try settings(file, environment)
            return nil
        } catch {
            return error as? CommandError
        }
    }

    @Test("An option takes precedence over the environment, and that over the file")
    func precedence() throws {
        let file = #"{"device": "file", "device-rate": 44100, "endpoint-silence": 0.8}"#
        let both = try settings(file, ["UTTER_DEVICE": "variable"])
        #expect(try completed(["--device", "option"], both)[CaptureOptions.device] == "option")
        #expect(try completed([], both)[CaptureOptions.device] == "variable")
        #expect(try completed([], try settings(file))[CaptureOptions.device] == "file")
        #expect(try completed([], try settings(file, ["UTTER_DEVICE": ""]))[CaptureOptions.device] == "file")
        #expect(try completed([], both)[CaptureOptions.deviceRate] == 44_100)
        #expect(try completed([], both)[RecognitionOptions.endpointSilence] == 0.8)
        #expect(try completed([], try settings())[CaptureOptions.device] == nil)
    }

    @Test("A language overrides a model at a lower level, and the other way round")
    func exclusion() throws {
        let set = try settings(#"{"model": "big"}"#)
        #expect(try completed(["--locale", "de"], set)[RecognitionOptions.model] == nil)
        #expect(try completed([], set)[RecognitionOptions.model] == "big")
        let spoken = try settings(#"{"locale": "de"}"#, ["UTTER_MODEL": "big"])
        #expect(
            try completed([], spoken)[RecognitionOptions.model] == "big"
                && completed([], spoken)[RecognitionOptions.locale] == nil)
        let both = try completed([], try settings(#"{"model": "big", "locale": "de"}"#))
        #expect(both[RecognitionOptions.model] == "big" && both[RecognitionOptions.locale] == nil)
    }

    @Test("An option that contradicts a setting, or says the same more exactly, takes precedence over it")
    func contradiction() throws {
        let set = try settings(#"{"volatile": true, "transcribe-format": "json"}"#)
        #expect(try completed([], set)[ListenOptions.showsVolatile])
        #expect(try !completed(["--quiet"], set)[ListenOptions.showsVolatile])
        func format(_ words: String...) throws -> OutputFormat {
            try TranscribeOptions(completed(words, by: .transcribe, set)).format
        }
        #expect(try format("a.wav") == .json && format("-o", "a", "a.wav") == .json)
        #expect(try format("-o", "a.srt", "a.wav") == .srt)
        // Sources are devices of their own.
        let device = try settings(#"{"device": "hw:1"}"#)
        #expect(try ListenOptions(completed(["--source", "me=default"], device)).sources.map(\.device) == ["default"])
    }

    @Test("A setting without an option in a command does not affect it")
    func otherCommands() throws {
        let set = try settings(#"{"device": "hw:1", "notes": "/n"}"#)
        #expect(try completed(["a.wav"], by: .transcribe, set).operands == ["a.wav"])
        #expect(try completed([], by: .memo, set)[DeliveryOptions.notes] == "/n")
    }

    @Test("An unknown key is reported, with the one that was meant, and the other settings are read")
    func unknownKey() throws {
        let set = try settings(#"{"modle": "x", "device": "hw:1"}"#)
        #expect(
            set.warnings == [
                "the configuration /c/config.json sets modle, which is not known here; did you mean model?"
            ])
        #expect(set.values["device"]?.text == "hw:1")
    }

    @Test(
        "An invalid value is refused, with the file, the key and the valid values",
        arguments: [
            ("", "is not a JSON object, such as {\"device\": \"hw:1\"}"), ("{", "is not a JSON object, such as"),
            ("[1]", "is not a JSON object"),
            ("7", "is not a JSON object"), ("{\"device\": \"\u{0}", "is not a JSON object"),
            (#"{"device": true}"#, ": device is neither text nor a number"),
            (#"{"device": null}"#, ": device is neither text nor a number"),
            (#"{"notes": ["a"]}"#, ": notes is neither text nor a number"),
            (#"{"model": {"a": 1}}"#, ": model is neither text nor a number"),
            (#"{"device": ""}"#, ": device was given an empty value"),
            (#"{"device-rate": 12}"#, ": device-rate can't be '12': give a whole number from 1000 to 768000"),
            (#"{"device-rate": 44100.5}"#, ": device-rate can't be '44100.5': give a whole number"),
            (#"{"device-rate": "fast"}"#, ": device-rate can't be 'fast': give a whole number"),
            (#"{"device-channels": 65}"#, ": device-channels can't be '65': give a whole number from 1 to 64"),
            (#"{"endpoint-silence": 0}"#, ": endpoint-silence can't be '0': give a number from 0.1 to 10"),
            (#"{"endpoint-silence": "long"}"#, ": endpoint-silence can't be 'long': give a number from 0.1 to 10"),
        ] as [(String, String)])
    func refusals(text: String, words: String) throws {
        let refusal = try #require(complaint(text))
        #expect(refusal.exitCode == .configuration)
        #expect(
            refusal.message.hasPrefix("the configuration /c/config.json") && refusal.message.contains(words),
            "\(refusal.message)")
    }

    @Test("The file is in the XDG configuration folder, whose variable is ignored if it is relative")
    func place() {
        #expect(Settings.path(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x/utter/config.json")
        #expect(Settings.path(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config/utter/config.json")
    }

    @Test("Every setting is an option of some command, except those that set no option")
    func settingsAreOptions() {
        #expect(Setting.all.filter { $0.commands == [] }.map(\.key) == ["line", "heading"])
        for setting in Setting.all {
            let options = Utter.dispatcher.commands.compactMap { setting.option(of: $0) }
            #expect(options.isEmpty == (setting.commands == []), "\(setting.key)")
        }
    }
}
