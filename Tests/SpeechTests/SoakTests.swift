import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Speech

@Suite("Many sessions")
struct SoakTests {
    @Test("are counted by a counter that sees leaks")
    func counterSees() async throws {
        let natives = Natives()
        let calls = natives.counting()
        let model = try #require(calls.modelNew(Fixture.modelPath))
        let recognizer = try #require(calls.recognizerNew(model, 16_000))
        let grammar = try #require(calls.recognizerNewGrammar(model, 16_000, #"["one"]"#))
        #expect(natives.counts.models == 1 && natives.counts.recognizers == 2)
        calls.recognizerFree(grammar)
        calls.recognizerFree(recognizer)
        #expect(!natives.isEmpty)
        calls.modelFree(model)
        #expect(natives.isEmpty)

        let before = ProcessFigures.now.descriptors
        let held = (0..<20).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        #expect(ProcessFigures.now.descriptors >= before + 10)
        for descriptor in held { close(descriptor) }
    }

    @Test("end at random moments in every way, and leave nothing behind")
    func leaveNothing() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            var generator = SplitMix64(for: "sessions")
            let soak = try Soak()
            for _ in 0..<10 { try await soak.session(&generator) }
            let early = await soak.figures()
            for _ in 10..<300 { try await soak.session(&generator) }
            let late = await soak.figures()
            print("after the 10th: \(early)\nafter the 300th: \(late)\n\(soak.natives.counts)")
            fflush(nil)
            // The pools of Swift and of Dispatch have a thread a core each, and Dispatch some more while one of them waits; how
            // many of them sleep at this moment is theirs to say. Each session makes two queues: leaked threads would be hundreds.
            guard late.threads <= max(early.threads, 2 * ProcessInfo.processInfo.activeProcessorCount + 4) else { fatalError("threads") }
            guard late.descriptors <= early.descriptors else { fatalError("descriptors") }
            guard late.residentMemory <= early.residentMemory + 2 << 20 else { fatalError("memory") }
            guard soak.natives.counts.modelsEver > 30, soak.natives.counts.recognizersEver > 100 else { fatalError("too few") }
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}

/// Sessions of all kinds on real models.
private final class Soak: Sendable {
    let natives = Natives()
    private let samples: [Int16]
    private let calls: VoskCalls
    private let loadsBegun = Events()
    private let loadsEnded = Events()
    private let shared = Mutex<ModelCache?>(nil)

    init() throws {
        samples = try Fixture.named("commands-rms").samples()
        calls = natives.counting()
    }

    /// Once nothing is left to be freed.
    func figures() async -> ProcessFigures {
        shared.withLock { $0 = nil }
        await loadsEnded.wait(for: loadsBegun.count)
        await natives.empty()
        return .now
    }

    /// One session, which ends at a moment and in a way of the generator's choice.
    func session(_ generator: inout SplitMix64) async throws {
        // Now and then another model; else several sessions have one in turn.
        let cache = shared.withLock { shared in
            if shared == nil || Int.random(in: 0..<4, using: &generator) == 0 { shared = ModelCache(calls: calls) }
            return shared!
        }
        let transcriber = Options(reportsVolatile: Bool.random(using: &generator)).transcriber { [loadsBegun, loadsEnded] () async throws in
            loadsBegun.happen()
            defer { loadsEnded.happen() }
            return try await cache.engine(SpeechModel(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        }
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let way = Int.random(in: 0..<8, using: &generator)
        let count = Int.random(in: 0...samples.count, using: &generator)
        let blocks = Array(samples.prefix(count)).cut(upTo: 8000, using: &generator)
        let yields = Int.random(in: 0..<100, using: &generator)
        let consumer = Int.random(in: 0..<3, using: &generator) == 0 ? nil : Task { _ = try await transcriber.allResults() }
        if Int.random(in: 0..<4, using: &generator) == 0 { try await analyzer.prepareToAnalyze() }

        let feed = Feed()
        try await analyzer.start(inputSequence: feed.sequence)
        for block in blocks { feed.give(block) }
        switch way {
        case 0..<3:
            feed.end()
            try await analyzer.finalizeAndFinishThroughEndOfInput()
        case 3..<5:
            for _ in 0..<yields { await Task.yield() }
            await analyzer.cancelAndFinishNow()
        case 5:
            feed.end()
            let finish = Task { try await analyzer.finalizeAndFinishThroughEndOfInput() }
            for _ in 0..<yields { await Task.yield() }
            await analyzer.cancelAndFinishNow()
            try await finish.value
        case 6:
            let finish = Task { try await analyzer.finalizeAndFinishThroughEndOfInput() }
            for _ in 0..<yields { await Task.yield() }
            finish.cancel()
            try await finish.value
        default:
            // Dropped.
            for _ in 0..<yields { await Task.yield() }
            if Bool.random(using: &generator) { consumer?.cancel() }
        }
    }
}
