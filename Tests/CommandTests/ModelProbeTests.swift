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
            available: 512 << 20)
    }

    @Test("has an outcome for each way in which the process may end")
    func outcomes() {
        #expect(Self.outcome(.exited(0), "loaded 0.5\ndecoded 1.25\n") == .works(loading: 0.5, decoding: 1.25))
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
        #expect(Self.outcome(.stopped, "loaded 1\n") == .late(seconds: ModelProbe.timeLimit, hasLoaded: true))
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
                "the recognizer did not finish in 300 s while it loaded the model /m",
                "the model /m takes more memory than the 1024 MB there are; it may be damaged, or too large for this machine",
                "the model /m could not be tried: no room",
            ])
        #expect(probe.problem(.works(loading: 1, decoding: 1)) == nil)
        #expect(ModelProbe.Outcome.works(loading: 0.44, decoding: 1).time == " in 0.4 s")
    }

    @Test("gets two seconds of sound that is neither silent nor clipped, the same each time, at every rate")
    func sound() {
        for rate in [8000, 16_000, 44_100] {
            let samples = ProbeSound.samples(sampleRate: rate)
            #expect(samples.count >= 2 * rate - 4 && samples.count <= 2 * rate + rate / 4)
            #expect(samples == ProbeSound.samples(sampleRate: rate))
            let loud = samples.count { abs(Int($0)) > 2000 }
            #expect(loud > samples.count / 10)
            #expect(samples.allSatisfy { abs(Int($0)) < 32_000 })
        }
    }

    @Test("is passed on a command line that nobody types by mistake")
    func arguments() {
        let arguments = ModelProbeProcess.Arguments(parent: 42, endpointing: 0.5, path: "/a model")
        #expect(ModelProbeProcess.Arguments(arguments.words) == arguments)
        #expect(ModelProbeProcess.Arguments(["--probe-model", "/a model"]) == nil)
        #expect(ModelProbeProcess.Arguments(["--probe-model", "x", "-", "/a model"]) == nil)
        for line in [ModelProbeProcess.Line.loaded(1.5), .decoded(2), .refused("one two"), .stopped] {
            #expect(ModelProbeProcess.Line(line.text) == line)
        }
        #expect(ModelProbeProcess.Line("LOG something") == nil)
    }
}
