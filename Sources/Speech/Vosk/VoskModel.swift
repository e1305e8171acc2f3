import Foundation
import Models
import Synchronization

/// A model that libvosk has loaded. Streams on any threads share it.
final class VoskModel: SpeechEngine {
    let sampleRate: Int
    let calls: VoskCalls
    private let folder: ModelFolder
    // Set once. Threads may share a model in libvosk, but making several recognizers on one model at the same time has
    // crashed, so that happens under the lock of `idle`.
    nonisolated(unsafe) private let model: OpaquePointer
    private let idle = Mutex<[RecognizerConfiguration: [VoskRecognizerHandle]]>([:])

    /// The most recognizers of a configuration that are kept for later streams.
    private static let idleLimit = 2

    /// Loads the model, which takes between 40 ms and some seconds.
    ///
    /// - Throws: `SpeechError` that names the missing file, or has libvosk's message.
    init(folder: ModelFolder, endpointing: Endpointing, calls: VoskCalls = .library) throws {
        if let problem = folder.problem { throw problem }
        try AddressSpace.expectRoom(for: folder)
        self.folder = folder
        self.calls = calls
        sampleRate = try folder.sampleRate()
        let loaded = try ModelOverlay.with(folder, endpointing: endpointing) { path in
            try Self.loading.withLock { _ in
                let pointer = SpeechLog.duringLoad { EngineCall.make { calls.modelNew(path) } }
                if let pointer { return LoadedModel(pointer: pointer) }
                let reason = SpeechLog.takeLastError().map {
                    ": " + $0.replacingOccurrences(of: path, with: folder.path)
                }
                throw SpeechError(
                    .modelLoadFailed,
                    "libvosk can't load the model \(folder.path)\(reason ?? ""); it may be damaged or made for another version"
                )
            }
        }
        model = loaded.pointer
    }

    deinit {
        // Before their model.
        idle.withLock { $0 = [:] }
        EngineCall.make { calls.modelFree(model) }
        Self.giveHeapBack()
    }

    func makeRecognizer(_ configuration: RecognizerConfiguration) throws(SpeechError) -> any SpeechRecognizer {
        try AddressSpace.beginRecognizer()
        let handle = idle.withLock { idle -> VoskRecognizerHandle? in
            if let kept = idle[configuration]?.popLast() { return kept }
            return EngineCall.make { newRecognizer(configuration) }
        }
        guard let handle else {
            AddressSpace.endRecognizer()
            let reason = SpeechLog.takeLastError().map { ": " + $0 } ?? ""
            throw SpeechError(
                .insufficientResources, "libvosk can't make a recognizer on the model \(folder.path)\(reason)")
        }
        return VoskRecognizer(handle, model: self, configuration: configuration)
    }

    func keep(_ recognizer: any SpeechRecognizer) {
        guard let recognizer = recognizer as? VoskRecognizer, recognizer.samplesAccepted == 0 else { return }
        idle.withLock { idle in
            guard idle[recognizer.configuration, default: []].count < Self.idleLimit,
                let handle = recognizer.giveUpHandle()
            else { return }
            idle[recognizer.configuration, default: []].append(handle)
        }
    }

    func unknownWords(in phrases: [String]) throws(SpeechError) -> [String] {
        guard folder.hasLookaheadGraph else {
            throw SpeechError(
                .vocabularyNotSupported,
                "the model \(folder.path) has a fixed graph and takes no vocabulary of your own; models named small or lgraph do"
            )
        }
        var unknown: [String] = []
        for word in phrases.flatMap({ $0.split(whereSeparator: \.isWhitespace).map(String.init) })
        where !unknown.contains(word) && EngineCall.make({ calls.modelFindWord(model, word) }) < 0 {
            unknown.append(word)
        }
        return unknown
    }

    private func newRecognizer(_ configuration: RecognizerConfiguration) -> VoskRecognizerHandle? {
        let rate = Float(sampleRate)
        let pointer =
            configuration.phrases.isEmpty
            ? calls.recognizerNew(model, rate)
            : calls.recognizerNewGrammar(model, rate, Self.grammar(configuration.phrases))
        guard let pointer else { return nil }
        calls.recognizerSetMaxAlternatives(pointer, Int32(configuration.maximumAlternatives))
        calls.recognizerSetWords(pointer, 1)
        calls.recognizerSetPartialWords(pointer, configuration.volatileWordTimes ? 1 : 0)
        if let pause = configuration.endpointing.trailingSilence {
            calls.recognizerSetEndpointerDelays?(
                pointer, Self.silenceAtStart, Float(pause), Float(configuration.endpointing.longUtterance))
        }
        return VoskRecognizerHandle(pointer, calls)
    }

    /// Returns the phrases in libvosk's format. `[unk]` absorbs everything else that is said, which would otherwise
    /// become the nearest phrase.
    static func grammar(_ phrases: [String]) -> String {
        let strings = (phrases + [unknownWord]).map { phrase in
            let escaped = phrase.unicodeScalars.reduce(into: "") { text, scalar in
                switch scalar {
                case "\"", "\\": text += "\\" + String(scalar)
                case "\0"..<" ": text += " "
                default: text.unicodeScalars.append(scalar)
                }
            }
            return "\"\(escaped)\""
        }
        return "[" + strings.joined(separator: ", ") + "]"
    }

    /// Returns the endpoint rules to load a model with. A newer libvosk sets them for each recognizer, so that
    /// transcribers that differ only in them share a model.
    static func loadedEndpointing(_ endpointing: Endpointing, _ calls: VoskCalls) -> Endpointing {
        calls.recognizerSetEndpointerDelays != nil && endpointing.trailingSilence != nil ? Endpointing() : endpointing
    }

    /// The silence, in seconds, that ends an utterance without words: Kaldi's default.
    private static let silenceAtStart: Float = 5

    // Swift's Glibc module lacks malloc.h, and another C library may lack the function.
    private static let trimHeap: (@convention(c) (Int) -> Int32)? = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Returns freed memory to the system. A model takes up to hundreds of megabytes, in the heaps of several threads, and by itself glibc
    /// keeps what lies between allocations that are in use. C: `malloc_trim`
    static func giveHeapBack() { _ = trimHeap?(0) }

    /// libvosk's text for a word that it does not know.
    static let unknownWord = "[unk]"

    /// Held during a load, so that an error that libvosk logs belongs to that load.
    private static let loading = Mutex(())

    private struct LoadedModel: @unchecked Sendable {
        // Moves the pointer from the lock's closure to the constant `model`.
        let pointer: OpaquePointer
    }
}

/// A recognizer of libvosk that waits for a stream. It has one user at a time, so it may change threads.
final class VoskRecognizerHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let calls: VoskCalls
    /// The number of samples taken since it was made; libvosk's times count from the first.
    var samplesAccepted: Int64 = 0

    init(_ pointer: OpaquePointer, _ calls: VoskCalls) { (self.pointer, self.calls) = (pointer, calls) }

    deinit { EngineCall.make { calls.recognizerFree(pointer) } }
}
