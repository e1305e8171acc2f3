import CTranscribe
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Speech

// One at a time, for the library finds its log by a variable of the environment.
@Suite("A model, with a scripted library,", .serialized)
struct ScriptedLibraryTests {
    private let library: ScriptedLibrary

    init() async throws { library = try await ScriptedLibrary() }

    @Test("that leans towards phrases is asked again without them if it wrote next to nothing")
    func phrases() async throws {
        let model = try library.model("leaning", vocabulary: ["ada", "linux"])
        let speech = [Int16](repeating: 20_000, count: 32_000)
        #expect(try model.decode(speech).text == "One two three four five six seven eight.")
        // The first phrase begins with a capital, for so does a text.
        #expect(library.calls == ["run 32000", "Ada", "linux", "run 32000"])
        #expect(try model.decode(Array(speech[..<8_000])).text == "One.")
        #expect(library.calls == ["run 8000", "Ada", "linux"])
    }

    @Test("that hears a mark is asked again with the names of all marks")
    func marks() async throws {
        let model = try library.model("leaning", marks: ["comma", "full stop"])
        #expect(try model.decode([Int16](repeating: -20_000, count: 32_000)).text == "One, comma, two.")
        #expect(library.calls == ["run 32000", "run 32000", "Comma, full stop. Comma, full stop."])
        #expect(try model.guess([Int16](repeating: 20_000, count: 8_000)).text == "One two.")
        #expect(library.calls == ["run 8000"])
    }

    @Test("that detects an allowed language is believed, and else the text counts of which the model is surest")
    func detection() async throws {
        func decoded(_ languages: [String], _ named: String? = nil) throws -> (String?, [String?]) {
            let model = try library.model(languages: languages, calls: DetectingCalls.calls())
            DetectingCalls.asked = []
            let text = try model.decode([Int16](repeating: 20_000, count: 8_000), language: named)
            #expect(text.text == "One two.")
            return (text.language, DetectingCalls.asked)
        }
        #expect(try decoded([]) == ("ko", [nil]))
        #expect(try decoded(["es"]) == ("es", ["es"]))
        #expect(try decoded(["de", "ko"]) == ("ko", [nil]))
        #expect(try decoded(["fr", "de", "es"]) == ("de", [nil, "fr", "de", "es"]))
        #expect(try decoded(["fr", "de"], "es") == ("es", ["es"]), "a request names its own")
        #expect(throws: WorkerFailure.self) { try decoded(["fr", "fr"]) }
    }

    @Test(
        "that is unsure of a text, or repeats itself, hears the sound once more from a moment later; what it is far surer of is taken",
        arguments: [
            ([0.7, 0.9], "One two three four.", 0), ([0.4, 0.6], "One two three.", 150),
            ([0.4, 0.45], "One two three four.", 0), ([nil, 0.3], "One two three.", 150),
            ([0.4, nil], "One two three four.", 0),
        ] as [([Double?], String, Int64)])
    func retried(confidences: [Double?], text: String, start: Int64) async throws {
        let model = try library.model(calls: DoubtfulCalls.calls())
        let speech = [Int16](repeating: 20_000, count: 17_000)
        DoubtfulCalls.confidences = confidences
        let decoded = try model.decode(speech)
        #expect(decoded.text == text && decoded.segments.map(\.time.lowerBound) == [start])
        #expect(library.calls == (confidences[0] == 0.7 ? ["run 17000"] : ["run 17000", "run 14600"]))
        // A guess is heard once.
        DoubtfulCalls.confidences = [0.4]
        #expect(try model.guess(speech).text == "One two three four.")
    }

    @Test(
        "that writes marks without a word, as a damaged one does, computes at the sound once; repeated digits are words",
        arguments: [("!", ["run 17000"]), ("1", ["run 17000", "run 14600"])])
    func damaged(repeated: String, runs: [String]) throws {
        DoubtfulCalls.text = strdup(String(repeating: repeated, count: 400))
        defer { free(DoubtfulCalls.text) }
        var calls = DoubtfulCalls.calls()
        calls.fullText = { _ in UnsafePointer(DoubtfulCalls.text) }
        let model = try library.model(calls: calls)
        DoubtfulCalls.confidences = [0.1, 0.9]
        #expect(try model.decode([Int16](repeating: 20_000, count: 17_000)).text.hasPrefix(repeated + repeated))
        #expect(library.calls == runs)
    }

    @Test(
        "that streams makes guesses that cost only the new samples, begin anew for other speech and after a run, and are whole runs after a failure"
    )
    func cost() async throws {
        let model = try library.model()
        let speech = [Int16](repeating: 20_000, count: 20_000)
        #expect(try model.guess(Array(speech[..<8_000])).text == "one tw")
        #expect(try model.guess(Array(speech[..<12_000])).text == "one two thre")
        #expect(try model.guess(Array(speech[..<12_000])).text == "one two thre")
        #expect(library.calls == ["begin", "feed 8000", "feed 4000"])

        #expect(try model.decode(Array(speech[..<12_000])).text == "One two three.")
        #expect(library.calls == ["reset", "run 12000"])
        #expect(try model.guess(Array(speech[..<16_000])).text == "one two three fou")
        #expect(library.calls == ["begin", "feed 16000"])

        let other = [Int16](repeating: -20_000, count: 16_000)
        #expect(try model.guess(other).text == "one two three fou")
        #expect(library.calls == ["reset", "begin", "feed 16000"])
        #expect(try model.guess(other + speech[..<12_345]).text == "One two three four five six seven.")
        #expect(library.calls == ["feed 12345", "reset", "run 28345"])
        #expect(try model.guess(other).text == "One two three four.")
    }

    @Test("that streams makes guesses that are shown while someone speaks, and a run decides")
    func session() async throws {
        let model = SecondPassModel(path: "scripted", library: library.path, program: SecondPassRig.program)
        var rig = DictationRig(model: model, isLive: true, guesses: .rolling)
        rig.reporting = [.volatileResults]
        let transcriber = rig.transcriber()
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let (inputs, speak) = AsyncStream.makeStream(of: AnalyzerInput.self)
        try await analyzer.start(inputSequence: inputs)
        let sound = try SpokenSentence.samples(sampleRate: 16_000)
        speak.yield(AnalyzerInput(samples: Array(sound[..<40_000]), sampleRate: 16_000))
        var results = transcriber.results.makeAsyncIterator()
        func next(_ isWanted: (DictationTranscriber.Result) -> Bool) async throws -> String? {
            while let result = try await results.next() {
                if isWanted(result) { return String(result.text.characters) }
            }
            return nil
        }
        let guess = try await next { !$0.isFinal && !$0.text.characters.isEmpty }
        #expect(guess?.contains("one") == true && guess?.contains(".") == false, "\(guess ?? "none")")
        speak.yield(AnalyzerInput(samples: Array(sound[40_000...]) + DictationRig.silence, sampleRate: 16_000))
        speak.finish()
        async let finished: Void = analyzer.finalizeAndFinishThroughEndOfInput()
        let final = try await next { $0.isFinal && !$0.text.characters.isEmpty }
        #expect(final?.hasPrefix("One two") == true && final?.hasSuffix(".") == true, "\(final ?? "none")")
        try await finished
        let calls = library.calls
        #expect(calls.first == "begin" && calls.contains { $0.hasPrefix("run") }, "\(calls)")
    }
}

@Suite("Spoken marks")
struct SpokenMarksTests {
    @Test(
        "The names of marks are dictated if they are several, or one of two words, or one behind a pause",
        arguments: [
            ("I come, period.", true), ("I come full stop.", true), ("I come comma he goes period", true),
            ("It was a period.", false), ("A period, and a period.", false), ("Periodic commas.", false), ("", false),
        ])
    func dictated(_ text: String, _ isDictated: Bool) {
        let marks = SpokenMarks(names: ["comma", "full stop", "period"])
        #expect(marks.areDictated(in: text) == isDictated)
    }

    @Test(
        "Names of marks may be heard: one beside a pause, or of several words by its sound, or several by their sounds, close together",
        arguments: [
            ("In short, the period was so far like ours that some of its noisiest insisted on being received.", false),
            (
                "They came out of the house early that day, and on the dark road they met a part of his own people, who had waited.",
                false
            ),
            ("On Sunday he has no time for his common people, and a colony", true),
            ("It was a period.", true), ("I come full stop.", true), ("Closed on Sunday, Phil's stop.", true),
            ("No pain, fill stop naline two", true), ("Three things cool and time common money", true),
            ("It was a Furyad, and common sense.", false), ("A long line of full buses stopped.", false), ("", false),
        ])
    func alike(_ text: String, _ mayBeHeard: Bool) {
        let marks = SpokenMarks(names: ["comma", "full stop", "period", "colon", "new line"])
        #expect(marks.mayBeHeard(in: text) == mayBeHeard)
    }

    @Test(
        "A text with the names in mind is taken if it has more of them, as somebody has them who dictates",
        arguments: [
            ("So it is, Phil's stop.", "So it is, full stop.", true),
            ("I come common he goes", "I come, comma, he goes", false),
            ("Time common money, common", "Time comma money, comma,", true),
            ("I come, period", "I come comma, period", true),
            ("I come, period.", "I go, period.", false), ("Feel stopped the car.", "Full stop to the car.", false),
            ("He drew a new line in the sand.", "Hebrew, a new line in the sand.", false),
            ("New lane is a street.", "New line is a street.", false),
            ("One question, Mark knew", "One question, mark knew", false),
            ("We want milk, come a, rice, bread, common, butter", "We want milk, comma, full stop.", false),
            ("We want milk, come a, rice, bread, and butter, common", "Comma, milk comma, period.", false),
            ("We want milk, come a, bread, common, butter", "We want milk, comma, bread, comma, butter", true),
        ])
    func won(_ plain: String, _ text: String, _ isWon: Bool) {
        let marks = SpokenMarks(names: ["comma", "full stop", "period", "question mark", "new line"])
        #expect(marks.areWon(in: text, over: plain) == isWon)
    }

    @Test("No sentence begins with the name of a mark, but for the first")
    func continued() {
        let marks = SpokenMarks(names: ["comma", "full stop", "question mark"])
        #expect(
            marks.continued(["Full stop. Is it", " late? Question mark.", "Comma Anna."])
                == ["Full stop. Is it", " late? question mark.", "comma Anna."])
        #expect(marks.continued([]) == [])
    }
}

/// The library with a model that says of all speech it is Korean, that is surest of German, and that repeats itself in French.
private enum DetectingCalls {
    /// The language of each run.
    nonisolated(unsafe) static var asked: [String?] = []

    static func calls() -> TranscribeCalls {
        var calls = scripted!
        calls.modelCapabilities = { model, found in
            let status = scripted.modelCapabilities(model, found)
            (found!.pointee.detects_language, found!.pointee.language_count) = (true, 0)
            return status
        }
        calls.run = { session, samples, count, run in
            DetectingCalls.asked.append(run!.pointee.language.map { String(cString: $0) })
            if DetectingCalls.asked.last == "fr" { return Int32(TRANSCRIBE_OUTPUT_REPEATS) }
            return scripted.run(session, samples, count, run)
        }
        calls.tokenCount = { _ in 1 }
        calls.token = { _, _, token in
            token!.pointee.probability = DetectingCalls.asked.last == "de" ? 0.9 : 0.7
            return Int32(TRANSCRIBE_OK)
        }
        calls.detectedLanguage = { _ in UnsafePointer(strdup("ko")) }
        return calls
    }
}

/// The library with a Whisper model whose runs have these confidences, in order; nil for one that repeats itself.
private enum DoubtfulCalls {
    nonisolated(unsafe) static var confidences: [Double?] = []
    nonisolated(unsafe) static var text: UnsafeMutablePointer<CChar>?
    nonisolated(unsafe) private static var last = 0.0

    static func calls() -> TranscribeCalls {
        var calls = scripted!
        calls.modelAcceptsExtension = { _, _, _ in true }
        calls.modelCapabilities = { model, found in
            let status = scripted.modelCapabilities(model, found)
            (found!.pointee.streams, found!.pointee.finest_times) = (false, Int32(TRANSCRIBE_TIMES_OF_SEGMENTS))
            return status
        }
        calls.run = { session, samples, count, run in
            let status = scripted.run(session, samples, count, run)
            guard let confidence = DoubtfulCalls.confidences.removeFirst() else {
                return Int32(TRANSCRIBE_OUTPUT_REPEATS)
            }
            DoubtfulCalls.last = confidence
            return status
        }
        calls.tokenCount = { _ in 1 }
        calls.token = { _, _, token in
            token!.pointee.probability = Float(DoubtfulCalls.last)
            return Int32(TRANSCRIBE_OK)
        }
        calls.segmentCount = { _ in 1 }
        calls.segment = { session, _, segment in
            (segment!.pointee.text, segment!.pointee.end) = (scripted.fullText(session), 1_000)
            return Int32(TRANSCRIBE_OK)
        }
        return calls
    }
}

/// The functions of the last library, which those of a test call.
private nonisolated(unsafe) var scripted: TranscribeCalls!

/// A libtranscribe that is made of scripted-library.c.
private struct ScriptedLibrary {
    private let folder = TemporaryFolder()
    var path: String { folder.path }

    init() async throws {
        let source = Fixture.repository + "/Tests/SpeechTests/SecondPass/Support/scripted-library.c"
        let compiler = try Program(
            [
                "gcc", "-shared", "-fPIC", "-I", Fixture.repository + "/Sources/CTranscribe",
                "-o", folder.file("libtranscribe.so"), source,
            ],
            environment: ProcessInfo.processInfo.environment)
        let result = try await compiler.finish()
        try #require(result.end == .exited(0), "\(result.errors)")
        setenv("SCRIPTED_CALLS", folder.file("calls"), 1)
        scripted = try TranscribeCalls(folder: path)
    }

    /// The calls since the last look.
    var calls: [String] {
        defer { unlink(folder.file("calls")) }
        return (folder.text(of: "calls") ?? "").split(separator: "\n").map(String.init)
    }

    func model(
        _ name: String = "scripted", languages: [String] = [], vocabulary: [String] = [], marks: [String] = [],
        calls: TranscribeCalls = scripted
    ) throws -> TranscribeModel {
        let setup = WorkerSetup(
            library: path, model: name, languages: languages, vocabulary: vocabulary, marks: marks, threads: 1)
        return try TranscribeModel(setup, calls: calls)
    }
}
