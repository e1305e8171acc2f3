import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Models
@testable import Speech

@Suite("Many sessions")
struct SoakTests {
    /// `UTTER_SESSIONS` sets how many.
    @Test(
        "end at random moments in every way, on one model, or on new ones with both engines, and leave nothing behind",
        .long, arguments: [false, true])
    func leaveNothing(_ isMixed: Bool) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [isMixed] in
            ProcessFigures.prepare()
            try await Soak(isMixed: isMixed).run()
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}

extension SpeechModule {
    fileprivate func readAll() async throws { for try await _ in results {} }
}

/// Runs sessions of all kinds on real models.
private final class Soak: Sendable {
    let natives = Natives()
    private let samples: [Int16]
    private let calls: VoskCalls
    private let loadsBegun = Events()
    private let loadsEnded = Events()
    private let shared = Mutex<(cache: ModelCache, keeper: VoskModel?)?>(nil)
    /// Whether models are loaded and freed with the sessions.
    private let reloads: Bool
    /// Whether half of the sessions are dictations.
    private let dictates: Bool
    private let folder = TemporaryFolder()
    private let scripted: SecondPassModel

    init(isMixed: Bool) throws {
        reloads = isMixed
        dictates = isMixed && DictationRig.real != nil
        scripted = try DictationRig.scripted(in: folder)
        samples = try Fixture.named("commands-rms").samples()
        calls = natives.counting()
    }

    /// The growth that is tolerated, in bytes. A dictation has more in memory at a time, and the sound of one of them is 160 KB.
    private var memoryGrowth: Int { (dictates ? 10 : 2) << 20 }

    func run() async throws {
        var generator = SplitMix64(for: "sessions")
        // Sessions of every kind on the whole recording, after which the process has all the memory that one session needs.
        // Half of the dictations need a worker of either kind, so it takes more of them.
        let first = dictates ? 80 : 10
        for number in 0..<first { try await session(&generator, kind: number % 8) }
        let early = await figures()
        var count = Tier.count(150, long: 150, "UTTER_SESSIONS")
        for _ in first..<count { try await session(&generator) }
        var late = await figures()
        // The use of the heap's pages varies by a megabyte; a leak only grows.
        var more = 0
        while late.residentMemory > early.residentMemory + memoryGrowth, more < 300, !Sanitizer.isPresent {
            for _ in 0..<100 { try await session(&generator) }
            (count, more) = (count + 100, more + 100)
            late = await figures()
        }
        print("after the \(first)th: \(early)\nafter the \(count)th: \(late)\n\(natives.counts)")
        fflush(nil)
        guard SecondPassRig.children.isEmpty else { fail("children: \(SecondPassRig.children)") }
        guard late.threads <= early.threads else { fail("threads: \(early), then \(late)") }
        guard late.descriptors <= early.descriptors else { fail("descriptors: \(early), then \(late)") }
        guard late.residentMemory <= early.residentMemory + memoryGrowth || Sanitizer.isPresent else {
            fail("memory: \(early), then \(late)")
        }
        guard natives.counts.modelsEver > (reloads ? 30 : 1) else { fail("too few models") }
        // Of ten sessions some five to seven live to have a recognizer of their own, and half of them are dictations.
        let fewest = reloads ? count / (dictates ? 10 : 5) : 1
        guard natives.counts.recognizersEver > fewest else { fail("too few recognizers: \(natives.counts)") }
    }

    /// The process's figures, once everything is freed.
    func figures() async -> ProcessFigures {
        shared.withLock { $0 = nil }
        await loadsEnded.wait(for: loadsBegun.count)
        await natives.empty()
        try? await Patience.wait(for: "the end of the workers") { SecondPassRig.children.isEmpty }
        return .settled
    }

    /// Runs a session, which ends at a random moment and in a random way, or with `kind` in that way at the end of the recording.
    func session(_ generator: inout SplitMix64, kind: Int? = nil) async throws {
        if shared.withLock({ $0 == nil }) || (reloads && Int.random(in: 0..<4, using: &generator) == 0) {
            let cache = ModelCache(calls: calls)
            let keeper =
                reloads
                ? nil
                : try await cache.engine(
                    ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
            shared.withLock { $0 = (cache, keeper) }
        }
        let cache = shared.withLock { $0!.cache }
        let speech = Options(reportsVolatile: Bool.random(using: &generator)).transcriber {
            [loadsBegun, loadsEnded] () async throws in
            loadsBegun.happen()
            defer { loadsEnded.happen() }
            return try await cache.engine(
                ModelReference(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        }
        var transcriber: any SpeechModule = speech
        if dictates, Bool.random(using: &generator), let real = DictationRig.real {
            // What is measured is of this process; the other worker costs less.
            let model = Int.random(in: 0..<8, using: &generator) == 0 ? real : scripted
            transcriber = DictationRig(model: model, isLive: Bool.random(using: &generator)).transcriber()
        }
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let way = kind ?? Int.random(in: 0..<8, using: &generator)
        let count = kind == nil ? Int.random(in: 0...samples.count, using: &generator) : samples.count
        let blocks = Array(samples.prefix(count)).cut(upTo: 8000, using: &generator)
        let yields = Int.random(in: 0..<100, using: &generator)
        let consumer =
            Int.random(in: 0..<3, using: &generator) == 0
            ? nil : Task { [transcriber] in try await transcriber.readAll() }
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
            // There may have been more input.
            do { try await finish.value } catch is CancellationError {}
        default:
            // The session is dropped.
            for _ in 0..<yields { await Task.yield() }
            if Bool.random(using: &generator) { consumer?.cancel() }
        }
    }
}
