import Foundation
import Glibc
import Models
import Speech
import Testing
import TestSupport

@testable import utter

@Suite("The mark of a model that is used")
struct ModelTrialTests {
    private let sandbox = Sandbox()
    private var folder: String { sandbox.file("trials") }
    private let model: String

    init() throws {
        model = sandbox.file("model")
        try FileManager.default.copyItem(atPath: Sandbox.model, toPath: model)
    }

    private var marks: [String] { sandbox.names(in: "trials") }
    private func verdict(on path: String? = nil) throws -> ModelTrial.Verdict? {
        try ModelTrial.verdict(on: path ?? model, in: folder)
    }

    /// Leaves the mark of a process that dies after a step.
    private func die(_ body: (ModelTrial) throws -> Void = { _ in }) throws {
        try body(ModelTrial.begin(model, in: folder))
    }
    private func crash(_ trial: ModelTrial) { #expect(write(trial.descriptor, "11\n", 3) == 3) }

    @Test("of a crash is reported for a model that works in the probe, and is left for the next memo")
    func told() throws {
        let probe = ModelProbe(model: InstalledModel(path: model), trials: folder)
        #expect(probe.problem(.works(loading: 1, decoding: 1, text: "words")) == nil)
        try die { crash($0) }
        #expect(
            probe.problem(.works(loading: 1, decoding: 1, text: "words"))
                == "the model \(model) loads, but crashed the recognizer in a memo; it may be damaged or made for another version"
        )
        #expect(try marks.count == 1 && verdict() == .crashed)
    }

    @Test("does not count while its process runs, and is removed at an orderly end")
    func alive() throws {
        #expect(try verdict() == nil)
        let first = try ModelTrial.begin(model, in: folder)
        let second = try ModelTrial.begin(model, in: folder)
        crash(first)
        try second.stopped()
        #expect(try verdict() == nil && marks.count == 2)
        #expect(marks.allSatisfy { sandbox.mode(of: "trials/\($0)") == 0o600 } && sandbox.mode(of: "trials") == 0o700)
        try first.end()
        try second.end()
        #expect(marks == [])
        withExtendedLifetime((first, second)) {}
    }

    @Test("of a process that died while it loaded the model counts once; of one that was killed later, never")
    func killed() throws {
        try die()
        #expect(try verdict() == .diedLoading)
        #expect(try verdict() == nil && marks == [])
        try die { try $0.loaded() }
        #expect(try verdict() == nil && marks == [])
        // The process ended by a signal that was no crash of the recognizer.
        try die { #expect(write($0.descriptor, "00\n", 3) == 3) }
        #expect(try verdict() == nil && marks == [])
    }

    @Test("of a crash, or of a recognizer that did not return, counts until the model has loaded")
    func crashed() throws {
        try die { crash($0) }
        try die { try $0.stopped() }
        for _ in 0..<3 { #expect(try verdict() == .crashed) }
        let trial = try ModelTrial.begin(model, in: folder)
        #expect(try verdict() == .crashed)
        try trial.loaded()
        #expect(try verdict() == nil && marks.count == 1)
        try trial.end()
        try die {
            try $0.loaded()
            crash($0)
        }
        #expect(try verdict() == .crashed)
    }

    @Test(
        "does not count for another model, nor after a file of the model has changed, but for every path to the model")
    func others() throws {
        try die { crash($0) }
        #expect(try verdict(on: Sandbox.model) == nil)
        try FileManager.default.createSymbolicLink(atPath: sandbox.file("link"), withDestinationPath: model)
        #expect(try verdict(on: sandbox.file("link")) == .crashed)
        sandbox.put(Array("--sample-frequency=16000\n".utf8), in: "model/conf/mfcc.conf")
        #expect(try verdict() == nil && marks == [])
    }

    @Test("that is incomplete, or not a file, is ignored")
    func damaged() throws {
        try die()
        for (number, text) in ["", "{", "{}\n11\n", "x\n11\n"].enumerated() {
            sandbox.put(Array(text.utf8), in: "trials/\(number).trial")
        }
        #expect(mkfifo(sandbox.file("trials/fifo.trial"), 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: sandbox.file("trials/folder.trial"), withIntermediateDirectories: false)
        #expect(try verdict() == .diedLoading)
        #expect(marks == ["fifo.trial", "folder.trial"])
    }

    @Test("has the same verdict for many readers at once")
    func atOnce() async throws {
        try die { crash($0) }
        let verdicts = try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try (0..<50).map { _ in try verdict() } } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(verdicts.count == 400 && verdicts.allSatisfy { $0 == .crashed })
    }
}
