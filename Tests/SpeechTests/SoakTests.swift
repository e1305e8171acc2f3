import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Models
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

    /// `UTTER_SESSIONS` sets how many.
    @Test(
        "end at random moments in every way, on one model or on ever new ones, and leave nothing behind", .long, arguments: [false, true])
    func leaveNothing(_ reloads: Bool) async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [reloads] in
            // One heap for all threads. Left to itself, glibc makes one for each thread and gives all but the first back only down
            // to some hundred kilobytes, so that what it keeps goes with the threads it has seen: 0 to 2 MB more, by chance.
            typealias SetOption = @convention(c) (Int32, Int32) -> Int32
            guard let address = dlsym(nil, "mallopt") else { fail("no mallopt") }
            let arenaMaximum: Int32 = -8
            guard unsafeBitCast(address, to: SetOption.self)(arenaMaximum, 1) == 1 || Sanitizer.isPresent else { fail("mallopt") }
            // Swift Testing keeps a back trace of every error that was ever thrown.
            for hook in ["_swift_willThrow", "_swift_willThrowTypedImpl"] {
                guard let hook = dlsym(nil, hook) else { fail("no \(hook)") }
                hook.storeBytes(of: nil, as: UnsafeRawPointer?.self)
            }
            try await Soak(reloads: reloads).run()
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
    private let shared = Mutex<(cache: ModelCache, keeper: VoskModel?)?>(nil)
    /// Whether models come and go with the sessions.
    private let reloads: Bool

    init(reloads: Bool) throws {
        self.reloads = reloads
        samples = try Fixture.named("commands-rms").samples()
        calls = natives.counting()
    }

    /// In bytes.
    private static let memoryGrowth = 2 << 20

    func run() async throws {
        var generator = SplitMix64(for: "sessions")
        // Of every kind, on the whole recording: what a session needs at most is there after them.
        for number in 0..<10 { try await session(&generator, kind: number % 8) }
        let early = await figures()
        var count = Tier.count(300, long: 300, "UTTER_SESSIONS")
        for _ in 10..<count { try await session(&generator) }
        var late = await figures()
        // How the heap's pages are used goes up and down by a megabyte; what is lost only goes up.
        while late.residentMemory > early.residentMemory + Self.memoryGrowth, count < 600, !Sanitizer.isPresent {
            for _ in 0..<100 { try await session(&generator) }
            count += 100
            late = await figures()
        }
        print("after the 10th: \(early)\nafter the \(count)th: \(late)\n\(natives.counts)")
        fflush(nil)
        guard late.threads <= early.threads else { fail("threads: \(early), then \(late)") }
        guard late.descriptors <= early.descriptors else { fail("descriptors: \(early), then \(late)") }
        guard late.residentMemory <= early.residentMemory + Self.memoryGrowth || Sanitizer.isPresent else {
            fail("memory: \(early), then \(late)")
        }
        guard natives.counts.modelsEver > (reloads ? 30 : 1) else { fail("too few models") }
        guard natives.counts.recognizersEver > (reloads ? 100 : 1) else { fail("too few recognizers") }
    }

    /// Once nothing is left to be freed.
    func figures() async -> ProcessFigures {
        shared.withLock { $0 = nil }
        await loadsEnded.wait(for: loadsBegun.count)
        await natives.empty()
        // Dispatch lets its threads go when they have had no work for five seconds, and their stacks and caches with them, but for
        // the one that this runs on.
        var fewest = ProcessFigures.now.threads
        var polls = 0
        while polls < 500 {
            poll(nil, 0, 20)
            polls += 1
            let threads = ProcessFigures.now.threads
            if threads < fewest { (fewest, polls) = (threads, 0) }
        }
        // The last model's end does this too, but behind the call that is counted.
        Heap.giveBack()
        return .now
    }

    /// One session, which ends at a moment and in a way of the generator's choice, or in a certain way at the end of the recording.
    func session(_ generator: inout SplitMix64, kind: Int? = nil) async throws {
        if shared.withLock({ $0 == nil }) || (reloads && Int.random(in: 0..<4, using: &generator) == 0) {
            let cache = ModelCache(calls: calls)
            let keeper =
                reloads
                ? nil : try await cache.engine(SpeechModel(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
            shared.withLock { $0 = (cache, keeper) }
        }
        let cache = shared.withLock { $0!.cache }
        let transcriber = Options(reportsVolatile: Bool.random(using: &generator)).transcriber { [loadsBegun, loadsEnded] () async throws in
            loadsBegun.happen()
            defer { loadsEnded.happen() }
            return try await cache.engine(SpeechModel(path: Fixture.modelPath), endpointing: Endpointing(), retention: .whileInUse)
        }
        let analyzer = SpeechAnalyzer(modules: [transcriber])
        let way = kind ?? Int.random(in: 0..<8, using: &generator)
        let count = kind == nil ? Int.random(in: 0...samples.count, using: &generator) : samples.count
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
