// The part of libtranscribe 0.4.1 (https://github.com/handy-computer/transcribe.cpp) that utter uses for the second pass. These are our own
// declarations. Nothing is linked: the library is loaded at run time, so the functions are pointers, and the size of each structure is
// compared with the library's own before any other call.
#ifndef UTTER_CTRANSCRIBE_H
#define UTTER_CTRANSCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct transcribe_model transcribe_model;
typedef struct transcribe_session transcribe_session;

// The results of calls.
enum {
    TRANSCRIBE_OK = 0,
    TRANSCRIBE_NO_FILE = 3,
    TRANSCRIBE_NO_MEMORY = 7,
    TRANSCRIBE_UNKNOWN_LANGUAGE = 10,
    TRANSCRIBE_ABORTED = 13,
    TRANSCRIBE_INPUT_TOO_LONG = 17,
    TRANSCRIBE_OUTPUT_TRUNCATED = 18,
    TRANSCRIBE_OUTPUT_REPEATS = 19,
    TRANSCRIBE_INPUT_TOO_SHORT = 21
};

// The finest times that a model gives, and the times to request.
enum {
    TRANSCRIBE_TIMES_NONE = 0,
    TRANSCRIBE_TIMES_FINEST = 1,
    TRANSCRIBE_TIMES_OF_SEGMENTS = 2,
    TRANSCRIBE_TIMES_OF_WORDS = 3,
    TRANSCRIBE_TIMES_OF_TOKENS = 4
};

enum {
    TRANSCRIBE_ON_PROCESSOR = 1,
    // The features of a model, for transcribe_model_supports().
    TRANSCRIBE_CAN_PROMPT = 0,
    TRANSCRIBE_CAN_PUNCTUATE = 4,
    TRANSCRIBE_CAN_VOCABULARY = 7,
    // The bit of transcribe_model_roles() for a model that transcribes.
    TRANSCRIBE_TRANSCRIBES = 1,
    // The values of `punctuation`.
    TRANSCRIBE_PUNCTUATION_OFF = 1,
    TRANSCRIBE_PUNCTUATION_ON = 2,
    // The kind of the extension that Whisper models take for one run ("WHRN"), and its place.
    TRANSCRIBE_WHISPER_RUN = 0x4E524857,
    TRANSCRIBE_EXTENDS_RUN = 0
};

// The numbers of the structures in transcribe_abi_struct_size().
enum {
    TRANSCRIBE_ABI_LOAD = 0,
    TRANSCRIBE_ABI_SESSION = 1,
    TRANSCRIBE_ABI_RUN = 2,
    TRANSCRIBE_ABI_STREAM = 3,
    TRANSCRIBE_ABI_CAPABILITIES = 4,
    TRANSCRIBE_ABI_SEGMENT = 6,
    TRANSCRIBE_ABI_WORD = 7,
    TRANSCRIBE_ABI_TOKEN = 8,
    TRANSCRIBE_ABI_STREAM_UPDATE = 9,
    TRANSCRIBE_ABI_STREAM_TEXT = 10,
    TRANSCRIBE_ABI_EXTENSION = 12
};

// The first member of each structure is its size, which the library's initializer sets together with the defaults.

struct transcribe_extension {
    uint64_t size;
    uint32_t kind;
};

struct transcribe_load {
    uint64_t size;
    int backend;
    void *device;
    bool reads_whole_file;
};

struct transcribe_session_setup {
    uint64_t size;
    int threads;
    int key_value_type;
    int32_t context;
};

struct transcribe_run {
    uint64_t size;
    int task;
    int times;
    int punctuation;
    int inverse_normalization;
    int speakers;
    // A short code; NULL lets the model detect the language, if it can.
    const char *language;
    const char *target_language;
    bool keeps_tags;
    const struct transcribe_extension *family;
    int32_t drafts;
    const char *const *vocabulary;
    int32_t vocabulary_count;
    const char *prompt;
    const char *prefix;
};

struct transcribe_stream {
    uint64_t size;
    const struct transcribe_extension *family;
    int commitment;
    uint32_t agreement;
};

struct transcribe_stream_update {
    uint64_t size;
    bool has_changed;
    bool is_final;
    int32_t revision;
    // In milliseconds.
    int64_t received, committed, buffered;
    bool has_changed_committed;
    bool has_changed_tentative;
};

// The text of a stream. The committed part only grows; the tentative one follows it, and may change. Owned by the session, and freed at its
// next call.
struct transcribe_stream_text {
    uint64_t size;
    const char *full;
    uint64_t full_size;
    const char *committed;
    uint64_t committed_size;
    const char *tentative;
    uint64_t tentative_size;
    uint64_t tentative_start;
};

struct transcribe_capabilities {
    uint64_t size;
    // In Hz.
    int32_t sample_rate;
    int language_count;
    // Owned by the model.
    const char *const *languages;
    int finest_times;
    bool detects_language;
    bool translates;
    bool streams;
    bool drafts;
    // In milliseconds; 0 for no limit.
    int64_t longest_audio;
    int target_language_count;
    const char *const *target_languages;
};

// Times are in milliseconds since the first sample. Texts are owned by the session, and freed at its next call.

struct transcribe_segment {
    uint64_t size;
    int64_t start, end;
    int first_word, word_count;
    int first_token, token_count;
    const char *text;
    int32_t speaker;
};

struct transcribe_word {
    uint64_t size;
    int64_t start, end;
    int segment;
    int first_token, token_count;
    const char *text;
};

struct transcribe_token {
    uint64_t size;
    int number;
    // NaN if the model gives none.
    float probability;
    int64_t start, end;
    int segment, word;
    const char *text;
};

// The options of a Whisper model for one run. The library itself checks the size.
struct transcribe_whisper_run {
    struct transcribe_extension extension;
    const char *prompt;
    const int32_t *prompt_tokens;
    size_t prompt_token_count;
    int prompt_condition;
    bool follows_previous;
    int32_t longest_previous;
    float temperature;
    float temperature_step;
    float highest_compression;
    float lowest_probability;
    float no_speech;
    // 0 for another seed in each run.
    uint32_t seed;
    float latest_start;
};

// The properties of one window of 30 s of a Whisper model's run. The library itself checks the size.
struct transcribe_whisper_window {
    uint64_t size;
    int64_t start, end;
    float temperature;
    float compression;
    // The mean of the logarithms of its tokens' probabilities.
    float probability;
    // The probability that there is no speech.
    float no_speech;
    bool was_emptied;
    int32_t fallbacks;
};

typedef void (*transcribe_log_handler)(int severity, const char *message, void *context);
typedef bool (*transcribe_abort_handler)(void *context);

// The functions that are looked up: what they return, their names in utter, their names in the library without `transcribe_`, and what they
// take. The handler of `setAbortHandler` is called repeatedly on the thread of the run; true ends the run. `run` takes samples from -1 to 1
// at 16 kHz. There is one run or stream at a time over all sessions of a model. `detectedLanguage` is the code of the language that the
// model has detected in the last run; empty if the run named one, or the model detects none.
#define TRANSCRIBE_FUNCTIONS(F) \
    F(const char *, version, version, (void)) \
    F(size_t, structSize, abi_struct_size, (int structure)) \
    F(size_t, structAlignment, abi_struct_align, (int structure)) \
    F(void, logSet, log_set, (transcribe_log_handler handler, void *context)) \
    F(int, initializeBackends, init_backends, (const char *folder)) \
    F(const char *, statusString, status_string, (int status)) \
    F(void, loadInitialize, model_load_params_init, (struct transcribe_load *load)) \
    F(int, modelLoad, model_load_file, (const char *path, const struct transcribe_load *load, transcribe_model **model)) \
    F(void, modelFree, model_free, (transcribe_model *model)) \
    F(uint32_t, modelRoles, model_roles, (const transcribe_model *model)) \
    F(bool, modelSupports, model_supports, (const transcribe_model *model, int feature)) \
    F(bool, modelAcceptsExtension, model_accepts_ext_kind, (const transcribe_model *model, int place, uint32_t kind)) \
    F(void, capabilitiesInitialize, capabilities_init, (struct transcribe_capabilities *capabilities)) \
    F(int, modelCapabilities, model_get_capabilities, (const transcribe_model *model, struct transcribe_capabilities *capabilities)) \
    F(void, sessionSetupInitialize, session_params_init, (struct transcribe_session_setup *setup)) \
    F(int, sessionMake, session_init, \
        (transcribe_model *model, const struct transcribe_session_setup *setup, transcribe_session **session)) \
    F(void, sessionFree, session_free, (transcribe_session *session)) \
    F(void, setAbortHandler, set_abort_callback, (transcribe_session *session, transcribe_abort_handler handler, void *context)) \
    F(void, runInitialize, run_params_init, (struct transcribe_run *run)) \
    F(void, whisperRunInitialize, whisper_run_ext_init, (struct transcribe_whisper_run *run)) \
    F(int, run, run, (transcribe_session *session, const float *samples, int count, const struct transcribe_run *run)) \
    F(void, streamInitialize, stream_params_init, (struct transcribe_stream *stream)) \
    F(void, streamUpdateInitialize, stream_update_init, (struct transcribe_stream_update *update)) \
    F(void, streamTextInitialize, stream_text_init, (struct transcribe_stream_text *text)) \
    F(int, streamBegin, stream_begin, \
        (transcribe_session *session, const struct transcribe_run *run, const struct transcribe_stream *stream)) \
    F(int, streamFeed, stream_feed, \
        (transcribe_session *session, const float *samples, int count, struct transcribe_stream_update *update)) \
    F(int, streamText, stream_get_text, (const transcribe_session *session, struct transcribe_stream_text *text)) \
    F(void, streamReset, stream_reset, (transcribe_session *session)) \
    F(const char *, fullText, full_text, (const transcribe_session *session)) \
    F(const char *, detectedLanguage, detected_language, (const transcribe_session *session)) \
    F(int, segmentCount, n_segments, (const transcribe_session *session)) \
    F(void, segmentInitialize, segment_init, (struct transcribe_segment *segment)) \
    F(int, segment, get_segment, (const transcribe_session *session, int index, struct transcribe_segment *segment)) \
    F(int, wordCount, n_words, (const transcribe_session *session)) \
    F(int, tokenCount, n_tokens, (const transcribe_session *session)) \
    F(void, wordInitialize, word_init, (struct transcribe_word *word)) \
    F(void, tokenInitialize, token_init, (struct transcribe_token *token)) \
    F(int, word, get_word, (const transcribe_session *session, int index, struct transcribe_word *word)) \
    F(int, token, get_token, (const transcribe_session *session, int index, struct transcribe_token *token)) \
    F(int, whisperWindowCount, get_whisper_chunk_count, (const transcribe_session *session)) \
    F(void, whisperWindowInitialize, whisper_chunk_trace_init, (struct transcribe_whisper_window *window)) \
    F(int, whisperWindow, get_whisper_chunk_trace, \
        (const transcribe_session *session, int index, struct transcribe_whisper_window *window))

#define TRANSCRIBE_FIELD(result, name, symbol, parameters) result (*name) parameters;
#define TRANSCRIBE_NAME(result, name, symbol, parameters) "transcribe_" #symbol,

struct transcribe_functions {
    TRANSCRIBE_FUNCTIONS(TRANSCRIBE_FIELD)
};

// Returns the name in the library of the function at a place in the structure; NULL behind the last.
static inline const char *transcribe_function_name(int place) {
    static const char *const names[] = {TRANSCRIBE_FUNCTIONS(TRANSCRIBE_NAME) NULL};
    return names[place];
}

#endif
