import Foundation
import TestSupport
import Testing

@testable import Models
@testable import Speech

@Suite("A model's folder")
struct ModelFolderTests {
    private static let fixture = Fixture.named("digits-awb")

    private func heard(_ copy: ModelCopy) async throws -> String {
        try await Options(model: copy.path).run(Self.fixture.samples()).text
    }

    @Test(
        "that lacks a file is refused with the name of the file",
        arguments: ["am/final.mdl", "conf/mfcc.conf", "conf/model.conf", "graph/HCLr.fst", "graph/Gr.fst", "graph"])
    func missing(_ file: String) async throws {
        let copy = try ModelCopy { try ModelCopy.remove($0 + "/" + file) }
        let natives = Natives()
        let error = #expect(throws: SpeechError.self) { try copy.load(natives.counting()) }
        #expect(error?.code == .modelIncomplete)
        #expect(error?.description.contains(file == "graph" ? "graph/HCLr.fst, graph/Gr.fst" : file) == true)
        #expect(error?.description.contains(copy.path) == true)
        // libvosk was not called.
        #expect(natives.counts == Natives.Counts())
    }

    @Test("that lacks a part of its ivector extractor is refused with the names of the files")
    func missingIvector() throws {
        let copy = try ModelCopy {
            try FileManager.default.createDirectory(atPath: $0 + "/ivector", withIntermediateDirectories: false)
            try "".write(toFile: $0 + "/ivector/final.ie", atomically: true, encoding: .utf8)
        }
        let error = #expect(throws: SpeechError.self) { try copy.load() }
        #expect(error?.description.contains("lacks ivector/final.dubm, ivector/final.mat") == true)
    }

    @Test("that does not exist, or is a file, is refused with that reason")
    func noFolder() throws {
        for path in ["/nowhere/model", Self.fixture.path] {
            let error = #expect(throws: SpeechError.self) {
                try VoskModel(folder: ModelFolder(path: path), endpointing: Endpointing())
            }
            #expect(error?.code == .noModel)
            #expect(error?.description.contains(path) == true)
        }
    }

    @Test("that only libvosk finds invalid is refused with libvosk's reason, and everything is freed")
    func damaged() throws {
        let copy = try ModelCopy { try ModelCopy.remove($0 + "/graph/words.txt") }
        let paths = Collected<String>()
        var calls = VoskCalls.library
        calls.modelNew = { path in
            paths.add(path)
            return VoskCalls.library.modelNew(path)
        }
        let error = #expect(throws: SpeechError.self) { try copy.load(calls) }
        #expect(error?.code == .modelLoadFailed)
        #expect(error?.description.contains(copy.path + "/graph/words.txt") == true)
        #expect(paths.all.count == 1)
        for path in paths.all {
            #expect(error?.description.contains(path) == false)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("with dither gives the same text, times and confidences every time")
    func dither() async throws {
        let copy = try ModelCopy {
            try ModelCopy.edit($0 + "/conf/mfcc.conf") {
                $0.replacingOccurrences(of: "--dither=0", with: "--dither=1.0")
            }
        }
        // The sound is faint, so that the noise would have an effect.
        let samples = try Fixture.named("numbers-slt").samples().map { $0 / 64 }
        var outcomes: [[String]] = []
        let count = Tier.count(2, long: 5)
        for _ in 0..<count {
            let outcome = try await Options(model: copy.path).run(samples)
            outcomes.append(outcome.words.map { "\($0.text) \($0.range) \($0.confidence ?? -1)" })
        }
        #expect(!outcomes[0].isEmpty)
        #expect(outcomes == Array(repeating: outcomes[0], count: count))

        // To prove that dither has an effect, libvosk loads the folder as it is.
        let calls = VoskCalls.library
        let model = try #require(calls.modelNew(copy.path))
        defer { calls.modelFree(model) }
        var plain: Set<String> = []
        for _ in 0..<100 where plain.count < 2 {
            let recognizer = try #require(calls.recognizerNew(model, 16_000, RecognizerConfiguration()))
            defer { calls.recognizerFree(recognizer) }
            _ = calls.recognizerAccept(recognizer, samples, Int32(samples.count))
            plain.insert(String(cString: try #require(calls.recognizerFinalResult(recognizer))))
        }
        #expect(plain.count > 1)
    }

    @Test("in the old flat layout is loaded, and recognizes the same")
    func flat() async throws {
        let copy = try ModelCopy { path in
            for (file, place) in [
                ("am/final.mdl", "final.mdl"), ("conf/mfcc.conf", "mfcc.conf"), ("graph/HCLr.fst", "HCLr.fst"),
                ("graph/Gr.fst", "Gr.fst"), ("graph/disambig_tid.int", "disambig_tid.int"),
                ("graph/words.txt", "words.txt"),
                ("graph/phones/word_boundary.int", "word_boundary.int"),
            ] {
                try ModelCopy.move(path + "/" + file, to: path + "/" + place)
            }
            for folder in ["am", "conf", "graph"] { try ModelCopy.remove(path + "/" + folder) }
        }
        #expect(try await heard(copy) == Self.fixture.transcript)
        try ModelCopy.remove(copy.path + "/HCLr.fst")
        #expect(throws: SpeechError.self) { try copy.load() }
    }

    @Test(
        "determines the model's sample rate, which is passed to libvosk",
        arguments: [
            "--sample-frequency=8000\n", "# a comment\n --sample_frequency = 8000  # telephone\n",
            "--sample-frequency=8000\r\n--dither=1\r\n",
        ])
    func rate(_ line: String) async throws {
        let copy = try ModelCopy {
            try ModelCopy.edit($0 + "/conf/mfcc.conf") {
                line + $0.replacingOccurrences(of: "--high-freq=7600", with: "--high-freq=3800")
            }
        }
        let rates = Collected<Int>()
        var calls = VoskCalls.library
        calls.recognizerNew = { model, rate, configuration in
            rates.add(rate)
            return VoskCalls.library.recognizerNew(model, rate, configuration)
        }
        let outcome = try await Options(model: copy.path, calls: calls).run([
            AnalyzerInput(samples: Self.fixture.samples(), sampleRate: 16_000)
        ])
        #expect(Set(rates.all) == [8000])
        #expect(outcome.ledger.delivered == Int64(try Self.fixture.samples().count / 2))
        #expect(try InstalledModel(path: copy.path).sampleRate() == 8000)
    }

    @Test("keeps all settings of files with CRLF line ends")
    func lineEnds() async throws {
        let copy = try ModelCopy { path in
            for file in ["/conf/mfcc.conf", "/conf/model.conf"] {
                // First an option that is removed: it must not remove the others too.
                try ModelCopy.edit(path + file) {
                    ("--dither=1\n--endpoint.rule5.min-utterance-length=20\n" + $0).split(separator: "\n")
                        .filter { file.contains("model") ? !$0.contains("dither") : !$0.contains("endpoint") }
                        .joined(separator: "\r\n") + "\r\n"
                }
            }
        }
        #expect(try await heard(copy) == Self.fixture.transcript)
    }
}
