import Testing

@testable import utter

struct ListenOptionsTests {
    private func options(_ arguments: String...) throws -> ListenOptions {
        guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .listen) else {
            throw UsageError(message: "help", helpCommand: "")
        }
        return try ListenOptions(parsed)
    }

    private func complaint(_ arguments: String...) -> String {
        do throws(UsageError) {
            guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .listen) else { return "help" }
            return "accepted: \(try ListenOptions(parsed))"
        } catch {
            return error.message
        }
    }

    @Test("By default it writes lines for the default microphone's mixed channels until it is interrupted")
    func defaults() throws {
        let options = try options()
        #expect(options.format == .text && !options.showsVolatile && !options.isQuiet && !options.isVerbose)
        #expect(options.capture.device == "default" && options.capture.channels == .mix)
        #expect(options.capture.deviceRate == nil && options.capture.deviceChannelCount == nil)
        #expect(options.duration == nil && options.longestSilence == nil && options.alternativeCount == nil)
        #expect(options.savedAudio == nil && options.command == nil)
        #expect(options.eventTypes == Set(ListenEvent.types))
        let configuration = options.capture.configuration
        #expect(
            configuration.device == "default" && configuration.sampleRate == 16_000 && configuration.channels == .mix)
        #expect(configuration.deviceSampleRate == 48_000 && configuration.deviceChannelCount == nil)
    }

    @Test("Events can be selected for jsonl only")
    func events() throws {
        #expect(try options("-fjsonl", "--event=final", "--event", "end").eventTypes == ["final", "end"])
        #expect(complaint("--event=final") == "--event goes with --format jsonl")
    }

    @Test("The sound is saved as WAV, and no name of another format is taken for it")
    func savedAudio() throws {
        for name in ["talk.wav", "talk", "talk.2026-11-26", "TALK.WAV"] {
            #expect(try options("--save-audio", name).savedAudio == name)
        }
        #expect(complaint("--save-audio", "talk.MP3") == "--save-audio writes WAV; name the file .wav, not .mp3")
    }

    @Test("Sources have names, each of its own; they replace the device")
    func sources() throws {
        let options = try options("--source", "me=default", "--source", "them=hw:1,0=x", "--device-rate", "44100")
        #expect(options.sources == [.init(name: "me", device: "default"), .init(name: "them", device: "hw:1,0=x")])
        // Who talks with others does not dictate.
        #expect(options.usualRules == TranscribeOptions.standardRules)
        #expect(try self.options().usualRules == ListenOptions.standardRules)
        for text in ["me", "=default", "me=", " =default"] {
            #expect(
                complaint("--source", text)
                    == "--source \(text): write it as NAME=DEVICE, such as me=default or them=monitor")
        }
        #expect(complaint("--source=me=a", "--source=me=b") == "--source: two sources are called me")
        #expect(
            complaint("--source=Zoë=a", "--source=ZOË=b")
                == "--source: the names Zoë and ZOË differ only in case; choose another")
        for (first, second) in [("pulse:x", "pulse:x"), ("pulse:@DEFAULT_MONITOR@", "monitor")] {
            #expect(
                complaint("--source=me=\(first)", "--source=them=\(second)")
                    == "--source: me and them are the same device, \(second), so each line would come twice; "
                    + "utter devices lists all")
        }
        #expect(complaint("--source=me=a", "-d", "b") == "--source and --device can't go together")
        #expect(CaptureOptions.device("monitor") == "pulse:@DEFAULT_MONITOR@")
        #expect(CaptureOptions.device("hw:1") == "hw:1")
    }

    @Test("Every option is read")
    func all() throws {
        let options = try options(
            "-fjsonl", "--volatile", "--save-audio", "x.wav", "--exec", "cat | wc", "--for=2.5", "--until-silence", "3",
            "-d", "hw:1",
            "--channel", "2", "--device-rate=44100", "--device-channels", "4", "-m", "tiny", "--phrase=a",
            "--vocabulary=v.txt",
            "--endpoint-silence=1.5", "--alternatives=3", "-v")
        #expect(options.format == .jsonl && options.showsVolatile)
        #expect(options.savedAudio == "x.wav" && options.command == "cat | wc")
        #expect(options.duration == 2.5 && options.longestSilence == 3 && options.alternativeCount == 3)
        #expect(options.recognition.model == "tiny" && options.recognition.phrases == ["a"])
        #expect(options.recognition.vocabularyFile == "v.txt" && options.recognition.endpointSilence == 1.5)
        #expect(options.isVerbose && !options.isQuiet)
        let configuration = options.capture.configuration
        #expect(configuration.device == "hw:1" && configuration.channels == .channel(1))
        #expect(configuration.deviceSampleRate == 44_100 && configuration.deviceChannelCount == 4)
        #expect(try self.options("-l", "ko", "-q", "--channel=mix").capture.configuration.channels == .mix)
    }

    @Test("Options that contradict each other are refused")
    func contradictions() {
        #expect(complaint("-m", "a", "-l", "ko") == "--model and --locale can't go together")
        #expect(complaint("-q", "-v") == "--quiet and --verbose can't go together")
        #expect(complaint("-q", "--volatile") == "--quiet and --volatile can't go together")
        #expect(complaint("--channel=3", "--device-channels=2") == "--channel 3 is more than --device-channels 2")
    }

    @Test(
        "Invalid values are refused",
        arguments: [
            ["--for", "0"], ["--for", "-1"], ["--for", "x"], ["--for", "nan"], ["--for", "1e300"],
            ["--until-silence", "0"],
            ["--channel", "0"], ["--channel", "65"], ["--device-rate", "0"], ["--device-channels", "0"],
            ["--alternatives", "0"],
            ["-f", "doc"], ["file.wav"],
        ])
    func refusals(arguments: [String]) throws {
        #expect(throws: UsageError.self) {
            guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .listen) else { return }
            _ = try ListenOptions(parsed)
        }
    }
}
