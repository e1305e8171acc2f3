import Foundation
import Glibc
import Models
import Speech
import System
import TestSupport
import Testing

@testable import utter

@Suite("A model that is tried in a process of its own")
struct ModelProbeTests {
    @Test("is reported in one sentence that names it")
    func sentences() {
        let probe = ModelProbe(model: InstalledModel(path: "/m"))
        let outcomes: [ModelProbe.Outcome] = [
            .refused("libvosk can't load the model /m: no"), .crashed(signal: SIGSEGV, hasLoaded: true),
            .late(hasLoaded: false), .crashed(signal: SIGKILL, hasLoaded: false), .failed("no room"),
        ]
        #expect(
            outcomes.map { probe.problem($0)?.replacing(/the [0-9]+ MB/, with: "the 1 MB") } == [
                "libvosk can't load the model /m: no",
                "the model /m crashed the recognizer while it decoded (signal 11, segmentation fault); it may be damaged or made for another version",
                "the recognizer did not finish in 120 s while it loaded the model /m; it may be damaged",
                "the model /m takes more memory than the 1 MB there are; it may be damaged, or too large for this machine",
                "the model /m could not be tried: no room",
            ])
        #expect(ModelProbe.Outcome.works(loading: .seconds(0.44), decoding: .seconds(1), text: "").time == " in 0.4 s")
    }

    @Test("must hear the sentence: nothing and nonsense are problems, and other words are only of a model for English")
    func hearing() {
        var probe = ModelProbe(model: InstalledModel(path: "/m"), knowsEnglish: true)
        func problem(_ text: String) -> String? {
            probe.problem(.works(loading: .seconds(1), decoding: .seconds(1), text: text))
        }
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
        let folder = TemporaryFolder()
        for (size, limit) in [(1_000_000_000, 220), (40_000_000_000, 300)] {
            let path = folder.put("", in: "probe.gguf")
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
}
