import CTranscribe
import Glibc
import Models

/// The functions of libtranscribe, which is loaded at run time: utter can be built without it, and then works with one
/// pass. A test can replace each to see what its failure does.
struct TranscribeCalls {
    /// The only supported version. Before 1.0 anything may change between two versions.
    static let supportedVersion = "0.4.1"

    var version: transcribe_version_function
    var structSize: transcribe_abi_struct_size_function
    var structAlignment: transcribe_abi_struct_align_function
    var logSet: transcribe_log_set_function
    var initializeBackends: transcribe_init_backends_function
    var statusString: transcribe_status_string_function

    var loadInitialize: transcribe_model_load_params_init_function
    var modelLoad: transcribe_model_load_file_function
    var modelFree: transcribe_model_free_function
    var modelRoles: transcribe_model_roles_function
    var modelSupports: transcribe_model_supports_function
    var modelAcceptsExtension: transcribe_model_accepts_ext_kind_function
    var modelFamily: transcribe_model_arch_string_function
    var capabilitiesInitialize: transcribe_capabilities_init_function
    var modelCapabilities: transcribe_model_get_capabilities_function

    var sessionSetupInitialize: transcribe_session_params_init_function
    var sessionMake: transcribe_session_init_function
    var sessionFree: transcribe_session_free_function
    var setAbortHandler: transcribe_set_abort_callback_function

    var runInitialize: transcribe_run_params_init_function
    var whisperRunInitialize: transcribe_whisper_run_ext_init_function
    var run: transcribe_run_function
    var streamInitialize: transcribe_stream_params_init_function
    var streamUpdateInitialize: transcribe_stream_update_init_function
    var streamTextInitialize: transcribe_stream_text_init_function
    var streamBegin: transcribe_stream_begin_function
    var streamFeed: transcribe_stream_feed_function
    var streamText: transcribe_stream_get_text_function
    var streamReset: transcribe_stream_reset_function
    var fullText: transcribe_full_text_function
    var detectedLanguage: transcribe_detected_language_function
    var segmentCount: transcribe_n_segments_function
    var segmentInitialize: transcribe_segment_init_function
    var segment: transcribe_get_segment_function
    var wordCount: transcribe_n_words_function
    var tokenCount: transcribe_n_tokens_function
    var wordInitialize: transcribe_word_init_function
    var tokenInitialize: transcribe_token_init_function
    var word: transcribe_get_word_function
    var token: transcribe_get_token_function
    var whisperWindowCount: transcribe_get_whisper_chunk_count_function
    var whisperWindowInitialize: transcribe_whisper_chunk_trace_init_function
    var whisperWindow: transcribe_get_whisper_chunk_trace_function

    /// Loads the library for the rest of the process's life. dlopen(3)
    ///
    /// - Parameter folder: the folder with the library.
    /// - Throws: `WorkerFailure` if the library can't be loaded or lacks a function.
    init(folder: String) throws(WorkerFailure) {
        let path = folder + "/" + SecondPassFiles.libraryName
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "the reason is not known"
            throw WorkerFailure(kind: .library, sentence: "\(path) can't be loaded: \(reason)")
        }
        func find<Function>(_ name: String, _ type: Function.Type = Function.self) throws(WorkerFailure) -> Function {
            guard let address = dlsym(library, name) else {
                throw WorkerFailure(
                    kind: .library,
                    sentence: "\(path) has no function \(name); version \(Self.supportedVersion) is needed")
            }
            return unsafeBitCast(address, to: type)
        }
        version = try find("transcribe_version")
        structSize = try find("transcribe_abi_struct_size")
        structAlignment = try find("transcribe_abi_struct_align")
        logSet = try find("transcribe_log_set")
        initializeBackends = try find("transcribe_init_backends")
        statusString = try find("transcribe_status_string")
        loadInitialize = try find("transcribe_model_load_params_init")
        modelLoad = try find("transcribe_model_load_file")
        modelFree = try find("transcribe_model_free")
        modelRoles = try find("transcribe_model_roles")
        modelSupports = try find("transcribe_model_supports")
        modelAcceptsExtension = try find("transcribe_model_accepts_ext_kind")
        modelFamily = try find("transcribe_model_arch_string")
        capabilitiesInitialize = try find("transcribe_capabilities_init")
        modelCapabilities = try find("transcribe_model_get_capabilities")
        sessionSetupInitialize = try find("transcribe_session_params_init")
        sessionMake = try find("transcribe_session_init")
        sessionFree = try find("transcribe_session_free")
        setAbortHandler = try find("transcribe_set_abort_callback")
        runInitialize = try find("transcribe_run_params_init")
        whisperRunInitialize = try find("transcribe_whisper_run_ext_init")
        run = try find("transcribe_run")
        streamInitialize = try find("transcribe_stream_params_init")
        streamUpdateInitialize = try find("transcribe_stream_update_init")
        streamTextInitialize = try find("transcribe_stream_text_init")
        streamBegin = try find("transcribe_stream_begin")
        streamFeed = try find("transcribe_stream_feed")
        streamText = try find("transcribe_stream_get_text")
        streamReset = try find("transcribe_stream_reset")
        fullText = try find("transcribe_full_text")
        detectedLanguage = try find("transcribe_detected_language")
        segmentCount = try find("transcribe_n_segments")
        segmentInitialize = try find("transcribe_segment_init")
        segment = try find("transcribe_get_segment")
        wordCount = try find("transcribe_n_words")
        tokenCount = try find("transcribe_n_tokens")
        wordInitialize = try find("transcribe_word_init")
        tokenInitialize = try find("transcribe_token_init")
        word = try find("transcribe_get_word")
        token = try find("transcribe_get_token")
        whisperWindowCount = try find("transcribe_get_whisper_chunk_count")
        whisperWindowInitialize = try find("transcribe_whisper_chunk_trace_init")
        whisperWindow = try find("transcribe_get_whisper_chunk_trace")
    }

    /// Compares the library with the declarations in `transcribe.h`.
    ///
    /// - Throws: `WorkerFailure` if the version or the layout of a structure is another.
    func check() throws(WorkerFailure) {
        let found = version().map { String(cString: $0) } ?? "unknown"
        guard found == Self.supportedVersion else {
            throw WorkerFailure(
                kind: .library,
                sentence:
                    "libtranscribe is version \(found), and utter works with \(Self.supportedVersion); to get that: Scripts/setup"
            )
        }
        func isSame<Structure>(_ number: Int, _ type: Structure.Type) -> Bool {
            structSize(Int32(number)) == MemoryLayout<Structure>.size
                && structAlignment(Int32(number)) == MemoryLayout<Structure>.alignment
        }
        let isAllSame =
            isSame(TRANSCRIBE_ABI_LOAD, transcribe_load.self)
            && isSame(TRANSCRIBE_ABI_SESSION, transcribe_session_setup.self)
            && isSame(TRANSCRIBE_ABI_RUN, CTranscribe.transcribe_run.self)
            && isSame(TRANSCRIBE_ABI_STREAM, transcribe_stream.self)
            && isSame(TRANSCRIBE_ABI_STREAM_UPDATE, transcribe_stream_update.self)
            && isSame(TRANSCRIBE_ABI_STREAM_TEXT, transcribe_stream_text.self)
            && isSame(TRANSCRIBE_ABI_CAPABILITIES, transcribe_capabilities.self)
            && isSame(TRANSCRIBE_ABI_SEGMENT, transcribe_segment.self)
            && isSame(TRANSCRIBE_ABI_WORD, transcribe_word.self)
            && isSame(TRANSCRIBE_ABI_TOKEN, transcribe_token.self)
            && isSame(TRANSCRIBE_ABI_EXTENSION, transcribe_extension.self)
        guard isAllSame else {
            throw WorkerFailure(
                kind: .library,
                sentence:
                    "libtranscribe \(found) is built differently from the one that utter works with; to get that: Scripts/setup"
            )
        }
    }
}
