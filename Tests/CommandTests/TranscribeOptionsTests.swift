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
        #expect(options.inputs == ["a.wav"] && options.inputList == nil)
        #expect(options.formats == [.text])
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

    @Test("Names are a list in the order of the channels, in one line each, and tell the channels apart")
    func names() throws {
        let options = try options("a", "--split-channels", "--names", "me, Zoë  B\u{1B}[1m\n")
        #expect(options.channelNames == ["me", "Zoë B [1m"])
        #expect(options.tableNamesSpeakers)
        #expect(try self.options("a", "--split-channels").channelNames == [])
        #expect(
            complaint("a", "--names=me,them")
                == "--names is for channels that are transcribed apart; add --split-channels")
        for empty in ["me,", ",", "me, ,them", " ", "\n,a"] {
            #expect(complaint("a", "--split-channels", "--names", empty) == "--names has an empty name", "\(empty)")
        }
        #expect(complaint("a", "--split-channels", "--names=") == "--names was given an empty value")
        #expect(complaint("a", "--split-channels", "--names=me,them,me ") == "--names has 'me' twice")
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
            ("n.md", .md), ("n.notes", .text), ("srt", .text), ("d.srt/n", .text), ("-", .text), ("/", .text),
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

    @Test(
        "In a folder each transcript is named after its recording, with as much of the path as makes the names differ",
        arguments: [
            (["/x/talk.wav", "talk.part.mp3", "talks", ".wav", "-"], ["talk", "talk.part", "talks", ".wav", "stdin"]),
            (["novel.wav", "novel.mp3", "other.wav"], ["novel.wav", "novel.mp3", "other"]),
            (["a/x.wav", "b/x.wav", "b/y.wav"], ["a-x.wav", "b-x.wav", "y"]),
            (["c/a/x.wav", "d/a/x.wav"], ["c-a-x.wav", "d-a-x.wav"]),
            (["x.wav", "a/x.wav"], ["x.wav", "a-x.wav"]),
            // A longer name may be that of another recording.
            (["x.wav", "x.mp3", "x.wav.ogg"], ["x.wav", "x.mp3", "x.wav.ogg"]),
            (["x.wav", "./x.wav"], ["x.wav-1", "x.wav-2"]),
            (["a.wav", "A/X.WAV", "b.wav", "A/x.wav"], ["a", "A-X.WAV-1", "b", "A-x.wav-2"]),
            (["x.wav-1", "x.wav", "x.wav"], ["x.wav-1", "x.wav-2", "x.wav-3"]),
            // A memory card has one of them only.
            (["Talk.wav", "talk.mp3"], ["Talk.wav", "talk.mp3"]),
            (["a/Talk.wav", "b/talk.wav"], ["a-Talk.wav", "b-talk.wav"]),
        ])
    func outputNames(_ inputs: [String], _ names: [String]) throws {
        #expect(OutputNames.names(for: inputs) == names)
        guard
            case .arguments(let parsed) = try ArgumentParser.parse(
                inputs + ["--output-dir=d", "-fsrt,text"], by: .transcribe)
        else { return }
        #expect(try TranscribeOptions(parsed).outputNames == names.map { [$0 + ".srt", $0 + ".txt"] })
    }

    @Test("Several formats are written into a folder only")
    func severalFormats() throws {
        #expect(try options("a", "-f", "srt,json,srt", "--output-dir=d").formats == [.srt, .json])
        #expect(
            complaint("a", "-f", "srt,json")
                == "several formats need --output-dir DIR, where each has a file of its own")
        #expect(complaint("a", "-f", "srt,json", "-o", "a.srt").hasPrefix("several formats need --output-dir DIR"))
        let words = "choose text, json, jsonl, srt, vtt, tsv or md"
        #expect(complaint("a", "-f", "srt,jsno") == "-f can't be 'jsno': \(words); did you mean json?")
        #expect(complaint("a", "--format=txt") == "--format can't be 'txt': \(words); did you mean text?")
        #expect(complaint("a", "-f", "markdown") == "-f can't be 'markdown': \(words); did you mean md?")
        #expect(complaint("a", "-f", "srt,") == "-f was given an empty value")
    }

    @Test(
        "A suffix of another program's documents, or of sound, is refused; any other is text",
        arguments: ["docx", "PDF", "mp3"])
    func foreignSuffix(_ suffix: String) throws {
        #expect(
            complaint("a", "-o", "out.\(suffix)")
                == "--output out.\(suffix): utter does not write .\(suffix.lowercased()); choose one of its formats with --format, "
                + "or by the suffix .txt, .json, .jsonl, .srt, .vtt, .tsv or .md")
        #expect(try options("a", "-o", "out.\(suffix)", "-f", "text").destination == .file("out.\(suffix)"))
    }

    @Test("Inputs come from arguments, from a list, or from both, and standard input is only one of these")
    func inputLists() throws {
        #expect(try options("--files-from", "list").inputList == "list")
        #expect(try options("a", "--files-from=-").inputs == ["a"])
        #expect(complaint("-q") == "a FILE is missing; - is standard input")
        #expect(complaint("-", "--files-from=-") == "- (standard input) can't be both a recording and a list")
    }
}
