import CVosk
import Glibc

/// The calls into libvosk. A test can replace each to see what its failure does.
struct VoskCalls: Sendable {
    var modelNew: @Sendable (_ path: String) -> OpaquePointer? = { vosk_model_new($0) }
    var modelFree: @Sendable (_ model: OpaquePointer) -> Void = { vosk_model_free($0) }
    var modelFindWord: @Sendable (_ model: OpaquePointer, _ word: String) -> Int32 = { vosk_model_find_word($0, $1) }
    var recognizerNew: @Sendable (_ model: OpaquePointer, _ sampleRate: Float) -> OpaquePointer? = {
        vosk_recognizer_new($0, $1)
    }
    var recognizerNewGrammar:
        @Sendable (_ model: OpaquePointer, _ sampleRate: Float, _ grammar: String) -> OpaquePointer? = {
            vosk_recognizer_new_grm($0, $1, $2)
        }
    var recognizerFree: @Sendable (_ recognizer: OpaquePointer) -> Void = { vosk_recognizer_free($0) }
    var recognizerSetMaxAlternatives: @Sendable (_ recognizer: OpaquePointer, _ count: Int32) -> Void = {
        vosk_recognizer_set_max_alternatives($0, $1)
    }
    var recognizerSetWords: @Sendable (_ recognizer: OpaquePointer, _ on: Int32) -> Void = {
        vosk_recognizer_set_words($0, $1)
    }
    var recognizerSetPartialWords: @Sendable (_ recognizer: OpaquePointer, _ on: Int32) -> Void = {
        vosk_recognizer_set_partial_words($0, $1)
    }
    var recognizerAccept:
        @Sendable (_ recognizer: OpaquePointer, _ samples: UnsafePointer<Int16>, _ count: Int32) -> Int32 = {
            vosk_recognizer_accept_waveform_s($0, $1, $2)
        }
    var recognizerResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        vosk_recognizer_result($0)
    }
    var recognizerPartialResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        vosk_recognizer_partial_result($0)
    }
    var recognizerFinalResult: @Sendable (_ recognizer: OpaquePointer) -> UnsafePointer<CChar>? = {
        vosk_recognizer_final_result($0)
    }

    /// Sets the endpoint rules of a recognizer, in seconds: silence at the start, silence at the end, length. nil
    /// before libvosk 0.3.50. C: `vosk_recognizer_set_endpointer_delays`
    var recognizerSetEndpointerDelays:
        (@Sendable (_ recognizer: OpaquePointer, _ startMaximum: Float, _ end: Float, _ maximum: Float) -> Void)? =
            lookUpSetEndpointerDelays()

    private static func lookUpSetEndpointerDelays() -> (@Sendable (OpaquePointer, Float, Float, Float) -> Void)? {
        typealias Function = @convention(c) (OpaquePointer, Float, Float, Float) -> Void
        guard let address = dlsym(nil, "vosk_recognizer_set_endpointer_delays") else { return nil }
        let function = unsafeBitCast(address, to: Function.self)
        return { function($0, $1, $2, $3) }
    }

    /// The functions of libvosk itself.
    static let library = VoskCalls()
}
