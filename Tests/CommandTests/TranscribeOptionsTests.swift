import Foundation
import Testing

@testable import utter

struct TranscribeOptionsTests {
    private func options(_ arguments: String...) throws -> TranscribeOptions {
        guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .transcribe) else {
            throw UsageError(message: "help", helpCommand: "")
        }
        return try TranscribeOptions(parsed)
    }

    private func complaint(_ arguments: String...) -> String {
        do throws(UsageError) {
            guard case .arguments(let parsed) = try ArgumentParser.parse(arguments, by: .transcribe) else {
                return "help"
            }
            return "accepted: \(try TranscribeOptions(parsed))"
        } catch {
            return error.message
        }
    }

    @Test("By default a file is transcribed to text on standard output, with all channels mixed")
    func defaults() throws {
        let options = try options("a.wav")
        #expect(options.inputs == ["a.wav"])
        #expect(options.format == .text)
        #expect(options.destination == .standardOutput)
        #expect(options.channels == .mix)
        #expect(options.raw == nil && options.recognition.model == nil && options.recognition.endpointSilence == nil)
        #expect(options.jobCount == ProcessInfo.processInfo.activeProcessorCount)
        #expect(!options.isQuiet && !options.isVerbose)
        #expect(options.alternativeCount == nil)
    }

    @Test("Every option is read")
    func all() throws {
        let options = try options(
            "-", "--raw", "--rate=8000", "--channels", "2", "--channel", "2", "-fjson", "-o", "x.json", "-m", "tiny",
            "--phrase=a", "--phrase=b", "--vocabulary=v.txt", "--alternatives=3", "-j4", "--endpoint-silence=1.5", "-q")
        #expect(options.raw == .init(sampleRate: 8000, channelCount: 2))
        #expect(options.channels == .channel(1) && !options.splitsChannels)
        #expect(options.format == .json)
        #expect(options.destination == .file("x.json"))
        #expect(options.recognition.model == "tiny")
        #expect(options.recognition.phrases == ["a", "b"])
        #expect(options.recognition.vocabularyFile == "v.txt")
        #expect(options.alternativeCount == 3)
        #expect(options.jobCount == 4)
        #expect(options.recognition.endpointSilence == 1.5)
        #expect(options.isQuiet)
        #expect(try self.options("a", "-l", "en-US", "-v", "--split-channels").splitsChannels)
        #expect(try self.options("a", "-l", "en-US").recognition.locale == "en-US")
        #expect(try self.options("a", "-o", "-").destination == .standardOutput)
    }

    @Test("Options that contradict each other are refused")
    func contradictions() {
        #expect(complaint("a", "-ox", "--output-dir=d") == "--output and --output-dir can't go together")
        #expect(complaint("a", "--channel=1", "--split-channels") == "--channel and --split-channels can't go together")
        #expect(complaint("a", "-mx", "-len") == "--model and --locale can't go together")
        #expect(complaint("a", "-qv") == "--quiet and --verbose can't go together")
        #expect(complaint("a", "--raw") == "--raw needs --rate: how many samples a second the input has")
        #expect(complaint("a", "--rate=8000") == "--rate is only for input without a header; add --raw")
        #expect(complaint("a", "--channels=2") == "--channels is only for input without a header; add --raw")
        #expect(
            complaint("a", "--raw", "--rate=8000", "--channel=2")
                == "--channel 2 is more than the input's channels, 1")
        #expect(complaint("-", "-") == "- (standard input) can be given only once")
    }

    @Test("Subtitles of several files can't go to one place")
    func severalSubtitles() throws {
        #expect(complaint("a", "b", "-fsrt").hasPrefix("srt holds one recording, and 2 files are given;"))
        #expect(complaint("a", "b", "-fvtt", "-ox").hasPrefix("vtt holds one recording"))
        #expect(try options("a", "b", "-fsrt", "--output-dir=d").destination == .folder("d"))
        #expect(try options("a", "b", "-fjson").inputs.count == 2)
    }

    @Test(
        "The suffix of -o determines the format, unless -f is given",
        arguments: [
            ("a.srt", OutputFormat.srt), ("d.vtt/b.VTT", .vtt), ("c.json", .json), ("c.jsonl", .jsonl), ("t.tsv", .tsv),
            ("n.txt", .text),
            ("n.doc", .text), ("srt", .text), ("d.srt/n", .text), ("-", .text), ("/", .text),
        ])
    func suffix(_ path: String, _ format: OutputFormat) throws {
        #expect(try options("a", "-o", path).format == format)
        #expect(try options("a", "-o", path, "-f", "tsv").format == .tsv)
    }

    @Test("Outputs of several recordings name them, unless each has a file of its own")
    func namesFiles() throws {
        #expect(try options("a", "b").namesFiles)
        #expect(try options("a", "b", "-ox").namesFiles)
        #expect(try !options("a").namesFiles)
        #expect(try !options("a", "b", "--output-dir=d").namesFiles)
    }

    @Test("In a folder each transcript is named after its recording, and the names are unique")
    func outputNames() throws {
        let options = try options("a", "-fvtt", "--output-dir=d")
        #expect(options.outputName(for: "/x/talk.wav") == "talk.vtt")
        #expect(options.outputName(for: "talk.part.mp3") == "talk.part.vtt")
        #expect(options.outputName(for: "talk") == "talk.vtt")
        #expect(options.outputName(for: ".wav") == ".wav.vtt")
        #expect(options.outputName(for: "-") == "stdin.vtt")
        #expect(
            complaint("x/talk.wav", "y/talk.mp3", "--output-dir=d")
                == "'x/talk.wav' and 'y/talk.mp3' would both be written to talk.txt by --output-dir")
    }
}
