import Foundation
import Glibc
import Models
import Speech
import System
import Testing

@testable import utter

@Suite("A model that is tried in a process of its own")
struct ModelProbeTests {
    private static func outcome(_ end: BoundedProgram.End, _ output: String = "", _ errors: String = "")
        -> ModelProbe.Outcome
    {
        ModelProbe.outcome(
            BoundedProgram.Finished(end: end, output: Array(output.utf8), errors: Array(errors.utf8)),
            available: 512 << 20, timeLimit: 120)
    }

    @Test("has an outcome for each way in which the process may end")
    func outcomes() {
        #expect(
            Self.outcome(.exited(0), "loaded 0.5\nheard one two\ndecoded 1.25\n")
                == .works(loading: 0.5, decoding: 1.25, text: "one two"))
        #expect(Self.outcome(.exited(69), "refused the model is no model\n") == .refused("the model is no model"))
        #expect(Self.outcome(.exited(69), "loaded 0.5\nrefused it failed\n") == .refused("it failed"))
        #expect(Self.outcome(.exited(69), "stopped\n") == .stopped(hasLoaded: false))
        #expect(Self.outcome(.exited(69), "loaded 0.5\nstopped\n") == .stopped(hasLoaded: true))
        #expect(Self.outcome(.killed(signal: SIGSEGV)) == .crashed(signal: SIGSEGV, reason: nil, hasLoaded: false))
        #expect(
            Self.outcome(.killed(signal: SIGSEGV), "loaded 1\n")
                == .crashed(signal: SIGSEGV, reason: nil, hasLoaded: true))
        #expect(
            Self.outcome(
                .killed(signal: SIGABRT), "",
                "LOG (VoskAPI:Model():model.cc:1) x\nASSERTION_FAILED (VoskAPI:Read():a.cc:9) Assertion failed: (n > 0)\n\n[ Stack-Trace: ]\n"
            )
                == .crashed(signal: SIGABRT, reason: "Assertion failed: (n > 0)", hasLoaded: false))
        #expect(
            Self.outcome(
                .killed(signal: SIGABRT), "",
                "terminate called after throwing an instance of 'std::length_error'\n  what():  vector\n")
                == .crashed(signal: SIGABRT, reason: "vector", hasLoaded: false))
        #expect(
            Self.outcome(
                .killed(signal: SIGABRT), "",
                "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n"
            )
                == .needsMemory(available: 512 << 20))
        // SIGKILL is that of the kernel when memory is short.
        #expect(Self.outcome(.killed(signal: SIGKILL)) == .needsMemory(available: 512 << 20))
        #expect(Self.outcome(.stopped, "loaded 1\n") == .late(seconds: 120, hasLoaded: true))
        #expect(
            Self.outcome(.notStarted(errno: EMFILE))
                == .failed("no process can be started to load it: Too many open files"))
        #expect(Self.outcome(.exited(3)) == .failed("the process that loads it ended with status 3"))
    }

    @Test("is reported in one sentence that names it")
    func sentences() {
        let probe = ModelProbe(model: InstalledModel(path: "/m"))
        let outcomes: [ModelProbe.Outcome] = [
            .refused("libvosk can't load the model /m: no"), .crashed(signal: SIGSEGV, reason: "x", hasLoaded: true),
            .stopped(hasLoaded: false),
            .late(seconds: 300, hasLoaded: false), .needsMemory(available: 1 << 30), .failed("no room"),
        ]
        #expect(
            outcomes.map { probe.problem($0) } == [
                "libvosk can't load the model /m: no",
                "the model /m crashed the recognizer while it decoded (signal 11, segmentation fault: x); it may be damaged or made for another version",
                "the recognizer did not return while it loaded the model /m; it may be damaged or made for another version",
                "the recognizer did not finish in 300 s while it loaded the model /m; it may be damaged",
                "the model /m takes more memory than the 1024 MB there are; it may be damaged, or too large for this machine",
                "the model /m could not be tried: no room",
            ])
        #expect(ModelProbe.Outcome.works(loading: 0.44, decoding: 1, text: "").time == " in 0.4 s")
    }

    @Test("must hear the sentence: nothing and nonsense are problems, and other words are only of a model for English")
    func hearing() {
        var probe = ModelProbe(model: InstalledModel(path: "/m"), knowsEnglish: true)
        func problem(_ text: String) -> String? { probe.problem(.works(loading: 1, decoding: 1, text: text)) }
        let end = "in a spoken sentence; it may be damaged: remove it and install it again"
        for text in ["monday wednesday friday sunday", "Monday, Wednesday, Friday, Sunday.", "monday when's friday"] {
            #expect(problem(text) == nil, "\(text)")
        }
        for text in ["", " . . ."] {
            #expect(problem(text) == "the model /m loads, but hears no word \(end)")
        }
        let nonsense = "the model /m loads, but hears nonsense \(end)"
        let loop = String(repeating: "you are ", count: 30)
        for text in ["the cat sat", loop] { #expect(problem(text) == nonsense) }
        probe.knowsEnglish = false
        #expect(problem("der Hund bellt") == nil && problem(loop) == nonsense)
        #expect(problem("")?.contains("hears no word") == true)
    }

    @Test("has two minutes, and a larger one more, up to five")
    func timeLimit() throws {
        #expect(ModelProbe(model: InstalledModel(path: "/nonexistent")).timeLimit == 120)
        let path = FileManager.default.temporaryDirectory.path + "/probe-\(UUID().uuidString).gguf"
        defer { unlink(path) }
        for (size, limit) in [(1_000_000_000, 220), (40_000_000_000, 300)] {
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            // A file with a hole takes no room.
            #expect(truncate(path, off_t(size)) == 0)
            #expect(ModelProbe(model: InstalledModel(path: path)).timeLimit == limit)
        }
    }

    @Test("gets a sentence that comes along, at every rate")
    func sound() throws {
        for rate in [8000, 16_000, 44_100] {
            let samples = try SpokenSentence.samples(sampleRate: rate)
            #expect(abs(samples.count - 61_200 * rate / 16_000) < rate / 100)
        }
    }

    @Test("is passed on a command line that nobody types by mistake")
    func arguments() {
        let arguments = ModelProbeProcess.Arguments(parent: 42, endpointing: 0.5, path: "/a model")
        #expect(ModelProbeProcess.Arguments(arguments.words) == arguments)
        #expect(ModelProbeProcess.Arguments(["--probe-model", "/a model"]) == nil)
        #expect(ModelProbeProcess.Arguments(["--probe-model", "x", "-", "/a model"]) == nil)
        for line in [
            ModelProbeProcess.Line.loaded(1.5), .heard("one two"), .heard(""), .decoded(2), .refused("one two"),
            .stopped,
        ] {
            #expect(ModelProbeProcess.Line(line.text) == line)
        }
        #expect(ModelProbeProcess.Line("LOG something") == nil)
    }
}
