import Foundation
import Models
import Synchronization
import System

/// A model that libvosk has loaded, in a process of its own. Streams on any threads share it. When the process has ended, the next
/// recognizer is made by another one.
final class VoskModel: SpeechEngine {
    let sampleRate: Int
    let calls: VoskCalls
    /// The path of the model's folder.
    var path: String { folder.path }
    private let folder: ModelFolder
    private let endpointing: Endpointing
    // Threads may share a model in libvosk, but making several recognizers on one model at the same time has crashed, so that happens
    // under this lock.
    private let loaded: Mutex<Loaded>

    private struct Loaded: @unchecked Sendable {
        var model: OpaquePointer
        /// The recognizers that wait for a stream.
        var idle: [RecognizerConfiguration: [VoskRecognizerHandle]] = [:]
    }

    /// The number of processes that may end over one call.
    private static let mostAttempts = 3
    /// The most recognizers of a configuration that are kept for later streams.
    private static let idleLimit = 2

    /// Loads the model, which takes between 40 ms and some seconds.
    ///
    /// - Throws: `SpeechError` that names the missing file, or has libvosk's message.
    init(folder: ModelFolder, endpointing: Endpointing, calls: VoskCalls = .library) throws {
        if let problem = folder.problem { throw problem }
        try AddressSpace.expectRoom(for: folder)
        (self.folder, self.endpointing, self.calls) = (folder, endpointing, calls)
        sampleRate = try folder.sampleRate()
        loaded = Mutex(try Self.load(folder, endpointing, calls))
    }

    private static func load(
        _ folder: ModelFolder, _ endpointing: Endpointing, _ calls: VoskCalls
    ) throws(SpeechError) -> sending Loaded {
        try ModelOverlay.with(folder, endpointing: endpointing) { path throws(SpeechError) in
            try loading.withLock { _ throws(SpeechError) in
                _ = SpeechLog.takeLastError()
                if let pointer = calls.modelNew(path) { return Loaded(model: pointer) }
                let reason = SpeechLog.takeLastError().map {
                    ": " + $0.replacingOccurrences(of: path, with: folder.path)
                }
                throw SpeechError(
                    .modelLoadFailed,
                    "libvosk can't load the model \(folder.path)\(reason ?? "")\(damage)")
            }
        }
    }

    deinit {
        loaded.withLock { loaded in
            // Before their model.
            loaded.idle = [:]
            calls.modelFree(loaded.model)
        }
    }

    func makeRecognizer(_ configuration: RecognizerConfiguration) throws(SpeechError) -> any SpeechRecognizer {
        VoskRecognizer(try makeHandle(configuration), model: self, configuration: configuration)
    }

    /// Returns a recognizer that waits for a stream, or makes one.
    func makeHandle(_ configuration: RecognizerConfiguration) throws(SpeechError) -> VoskRecognizerHandle {
        try withModel { loaded throws(SpeechError) in
            if let kept = loaded.idle[configuration]?.popLast() { return kept }
            guard let pointer = calls.recognizerNew(loaded.model, sampleRate, configuration) else {
                let reason = calls.endOfProcess(loaded.model).map { ": its process " + $0 }
                throw SpeechError(
                    .modelLoadFailed,
                    "libvosk can't make a recognizer on the model \(folder.path)"
                        + (reason ?? SpeechLog.takeLastError().map { ": " + $0 } ?? "") + Self.damage)
            }
            return VoskRecognizerHandle(pointer, calls)
        }
    }

    /// Calls `body` with the model. If the process that had it has ended, another loads it first, and so again if it ends meanwhile.
    private func withModel<Value: Sendable>(
        _ body: (inout Loaded) throws(SpeechError) -> Value
    ) throws(SpeechError) -> Value {
        var attempts = 0
        while true {
            attempts += 1
            let result: Result<Value, SpeechError>? = try loaded.withLock { loaded throws(SpeechError) in
                if calls.endOfProcess(loaded.model) != nil {
                    let next = try Self.load(folder, endpointing, calls)
                    loaded.idle = [:]
                    calls.modelFree(loaded.model)
                    loaded = next
                }
                let result = Result { () throws(SpeechError) in try body(&loaded) }
                return calls.endOfProcess(loaded.model) == nil || attempts == Self.mostAttempts ? result : nil
            }
            if let result { return try result.get() }
        }
    }

    func keep(_ recognizer: any SpeechRecognizer) {
        guard let recognizer = recognizer as? VoskRecognizer, recognizer.samplesAccepted == 0 else { return }
        loaded.withLock { loaded in
            guard calls.endOfProcess(loaded.model) == nil,
                loaded.idle[recognizer.configuration, default: []].count < Self.idleLimit,
                let handle = recognizer.giveUpHandle()
            else { return }
            loaded.idle[recognizer.configuration, default: []].append(handle)
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
        where !unknown.contains(word) {
            let number = try withModel { loaded in calls.modelFindWord(loaded.model, word) }
            if number < 0 { unknown.append(word) }
        }
        return unknown
    }

    /// The end of a sentence about a model that can't be used.
    private static let damage = "; it may be damaged or made for another version"

    /// libvosk's text for a word that it does not know.
    static let unknownWord = "[unk]"

    /// Held during a load, so that an error that libvosk logs belongs to that load.
    private static let loading = Mutex(())
}

/// A recognizer of libvosk that waits for a stream. It has one user at a time, so it may change threads.
final class VoskRecognizerHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let calls: VoskCalls

    init(_ pointer: OpaquePointer, _ calls: VoskCalls) { (self.pointer, self.calls) = (pointer, calls) }

    deinit { calls.recognizerFree(pointer) }
}

extension RecognizerConfiguration {
    /// The phrases in libvosk's format; empty for all. `[unk]` absorbs everything else that is said, which would otherwise
    /// become the nearest phrase.
    var grammar: String {
        if phrases.isEmpty { return "" }
        return (phrases + [VoskModel.unknownWord]).jsonLine
    }
}
