import Foundation
import Synchronization

/// A model that libvosk has loaded. Streams share it, from any thread.
final class VoskModel: SpeechEngine {
    let sampleRate: Int
    let calls: VoskCalls
    private let folder: ModelFolder
    // Set once; libvosk lets threads share a model, but making recognizers on one at the same time has crashed others,
    // so that goes through `idle`'s lock.
    nonisolated(unsafe) private let model: OpaquePointer
    private let idle = Mutex<[RecognizerConfiguration: [VoskRecognizerHandle]]>([:])

    /// At most this many recognizers of a kind wait for their next stream.
    private static let idleLimit = 2

    /// Loads the model, which takes 40 ms to some seconds.
    ///
    /// - Throws: `SpeechError` that names what is missing from the folder, or what libvosk says.
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
                let reason = SpeechLog.takeLastError().map { ": " + $0.replacingOccurrences(of: path, with: folder.path) }
                throw SpeechError(
                    .modelLoadFailed,
                    "libvosk can't load the model \(folder.path)\(reason ?? ""); it may be damaged or made for another version")
            }
        }
        model = loaded.pointer
    }

    deinit {
        for handle in idle.withLock({ $0.values.flatMap { $0 } }) { handle.free(calls) }
        EngineCall.make { calls.modelFree(model) }
        // Up to hundreds of megabytes, from the heaps of several threads.
        Heap.giveBack()
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
            throw SpeechError(.insufficientResources, "libvosk can't make a recognizer on the model \(folder.path)\(reason)")
        }
        return VoskRecognizer(handle, model: self, configuration: configuration)
    }

    func keep(_ recognizer: any SpeechRecognizer) {
        guard let recognizer = recognizer as? VoskRecognizer, recognizer.samplesAccepted == 0 else { return }
        idle.withLock { idle in
            guard idle[recognizer.configuration, default: []].count < Self.idleLimit, let handle = recognizer.giveUpHandle()
            else { return }
            idle[recognizer.configuration, default: []].append(handle)
        }
    }

    func unknownWords(in phrases: [String]) throws(SpeechError) -> [String] {
        guard folder.hasLookaheadGraph else {
            throw SpeechError(
                .vocabularyNotSupported,
                "the model \(folder.path) has a fixed graph and takes no vocabulary of your own; models named small or lgraph do")
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
        return VoskRecognizerHandle(pointer)
    }

    /// The phrases as libvosk wants them. `[unk]` takes up whatever else is said, which would otherwise come out as the
    /// nearest phrase.
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

    /// Which endpoint rules a model has to be loaded with. A newer libvosk takes them for each recognizer, so that transcribers
    /// that differ in nothing else share a model.
    static func loadedEndpointing(_ endpointing: Endpointing, _ calls: VoskCalls) -> Endpointing {
        calls.recognizerSetEndpointerDelays != nil && endpointing.trailingSilence != nil ? Endpointing() : endpointing
    }

    /// Silence that ends an utterance in which nothing has been said, in seconds: Kaldi's own value.
    private static let silenceAtStart: Float = 5

    /// How libvosk writes a word that it heard but does not know.
    static let unknownWord = "[unk]"

    /// Loads come one at a time, so that the error that libvosk logs is that load's.
    private static let loading = Mutex(())

    private struct LoadedModel: @unchecked Sendable {
        // Goes from the lock's closure to the one constant that keeps it.
        let pointer: OpaquePointer
    }
}

/// A recognizer of libvosk's while it waits for a stream. Whoever holds it is its only user, so it may change threads.
final class VoskRecognizerHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Samples it has taken in all its life; libvosk's times count from its first.
    var samplesAccepted: Int64 = 0

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    func free(_ calls: VoskCalls) { EngineCall.make { calls.recognizerFree(pointer) } }
}
