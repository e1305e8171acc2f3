// Stands in for libtranscribe with a model that streams, of which there is none whose weights everybody can have. A quarter of a second is
// a word: "one two three". A stream has the last word as its tentative text, without the last letter. What a stream was fed is in the file
// that SCRIPTED_CALLS names: "begin", "feed COUNT", "reset", and "run COUNT" for a whole run.
//
// The model "leaning" does not stream, but leans towards phrases, as Whisper does: after some it says "One." alone. Of sound that begins
// below zero it understands "One comma two.", and "One, comma, two." after phrases that end with a full stop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transcribe.h"

#define RATE 16000
#define WORD (RATE / 4)

struct transcribe_session {
    int heard, is_open;
    char whole[1000], committed[1000], tentative[100];
};

static const char *const words[] = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
static struct transcribe_session sessions[8];
static int session_count, is_leaning;

static void note(const char *what, int count) {
    const char *path = getenv("SCRIPTED_CALLS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    if (count < 0) fprintf(file, "%s\n", what);
    else fprintf(file, "%s %d\n", what, count);
    fclose(file);
}

static void say(char *text, int first, int end) {
    text[0] = 0;
    for (int index = first; index < end; index++) {
        if (index) strcat(text, " ");
        strcat(text, words[index % 10]);
    }
}

const char *transcribe_version(void) { return "0.4.1"; }
size_t transcribe_abi_struct_size(int structure) {
    switch (structure) {
    case TRANSCRIBE_ABI_LOAD: return sizeof(struct transcribe_load);
    case TRANSCRIBE_ABI_SESSION: return sizeof(struct transcribe_session_setup);
    case TRANSCRIBE_ABI_RUN: return sizeof(struct transcribe_run);
    case TRANSCRIBE_ABI_STREAM: return sizeof(struct transcribe_stream);
    case TRANSCRIBE_ABI_STREAM_UPDATE: return sizeof(struct transcribe_stream_update);
    case TRANSCRIBE_ABI_STREAM_TEXT: return sizeof(struct transcribe_stream_text);
    case TRANSCRIBE_ABI_CAPABILITIES: return sizeof(struct transcribe_capabilities);
    case TRANSCRIBE_ABI_SEGMENT: return sizeof(struct transcribe_segment);
    case TRANSCRIBE_ABI_WORD: return sizeof(struct transcribe_word);
    case TRANSCRIBE_ABI_TOKEN: return sizeof(struct transcribe_token);
    default: return sizeof(struct transcribe_extension);
    }
}
size_t transcribe_abi_struct_align(int structure) { (void)structure; return 8; }
void transcribe_log_set(transcribe_log_handler handler, void *context) { (void)handler; (void)context; }
int transcribe_init_backends(const char *folder) { (void)folder; return TRANSCRIBE_OK; }
const char *transcribe_status_string(int status) { (void)status; return "scripted"; }

void transcribe_model_load_params_init(struct transcribe_load *load) { load->size = sizeof *load; }
int transcribe_model_load_file(const char *path, const struct transcribe_load *load, transcribe_model **model) {
    (void)load;
    is_leaning = !strcmp(path, "leaning");
    *model = (transcribe_model *)sessions;
    return TRANSCRIBE_OK;
}
void transcribe_model_free(transcribe_model *model) { (void)model; }
uint32_t transcribe_model_roles(const transcribe_model *model) { (void)model; return TRANSCRIBE_TRANSCRIBES; }
bool transcribe_model_supports(const transcribe_model *model, int feature) {
    (void)model;
    return is_leaning && feature == TRANSCRIBE_CAN_VOCABULARY;
}
bool transcribe_model_accepts_ext_kind(const transcribe_model *model, int place, uint32_t kind) {
    (void)model; (void)place; (void)kind;
    return false;
}
void transcribe_capabilities_init(struct transcribe_capabilities *found) { found->size = sizeof *found; }
int transcribe_model_get_capabilities(const transcribe_model *model, struct transcribe_capabilities *found) {
    static const char *const languages[] = {"en"};
    (void)model;
    found->sample_rate = RATE;
    found->language_count = 1;
    found->languages = languages;
    found->streams = !is_leaning;
    return TRANSCRIBE_OK;
}

void transcribe_session_params_init(struct transcribe_session_setup *setup) { setup->size = sizeof *setup; }
int transcribe_session_init(transcribe_model *model, const struct transcribe_session_setup *setup, transcribe_session **session) {
    (void)model; (void)setup;
    *session = &sessions[session_count++ % 8];
    return TRANSCRIBE_OK;
}
void transcribe_session_free(transcribe_session *session) { (void)session; }
void transcribe_set_abort_callback(transcribe_session *session, transcribe_abort_handler handler, void *context) {
    (void)session; (void)handler; (void)context;
}

static int is_streaming(void) {
    for (int index = 0; index < 8; index++)
        if (sessions[index].is_open) return 1;
    return 0;
}

void transcribe_run_params_init(struct transcribe_run *run) { run->size = sizeof *run; }
void transcribe_whisper_run_ext_init(struct transcribe_whisper_run *run) { (void)run; }
int transcribe_run(transcribe_session *session, const float *samples, int count, const struct transcribe_run *run) {
    note("run", count);
    for (int index = 0; index < run->vocabulary_count; index++) note(run->vocabulary[index], -1);
    if (is_leaning && samples[0] < 0) {
        const char *last = run->vocabulary_count ? run->vocabulary[run->vocabulary_count - 1] : "";
        strcpy(session->whole, strchr(last, '.') ? "One, comma, two." : "One comma two.");
        return TRANSCRIBE_OK;
    }
    // As the library itself: no run while a stream is open.
    if (is_streaming()) return 1;
    say(session->whole, 0, run->vocabulary_count ? 1 : count / WORD);
    if (session->whole[0]) session->whole[0] -= 'a' - 'A', strcat(session->whole, ".");
    return TRANSCRIBE_OK;
}

void transcribe_stream_params_init(struct transcribe_stream *stream) { stream->size = sizeof *stream; }
void transcribe_stream_update_init(struct transcribe_stream_update *update) { update->size = sizeof *update; }
void transcribe_stream_text_init(struct transcribe_stream_text *text) { text->size = sizeof *text; }
int transcribe_stream_begin(transcribe_session *session, const struct transcribe_run *run, const struct transcribe_stream *stream) {
    (void)run; (void)stream;
    note("begin", -1);
    if (is_streaming()) return 1;
    session->heard = 0;
    session->is_open = 1;
    return TRANSCRIBE_OK;
}
int transcribe_stream_feed(transcribe_session *session, const float *samples, int count, struct transcribe_stream_update *update) {
    (void)samples; (void)update;
    note("feed", count);
    // What a test calls a failure.
    if (!session->is_open || count == 12345) return 1;
    session->heard += count;
    return TRANSCRIBE_OK;
}
int transcribe_stream_get_text(const transcribe_session *session, struct transcribe_stream_text *text) {
    struct transcribe_session *own = (struct transcribe_session *)session;
    int count = session->heard / WORD;
    say(own->committed, 0, count ? count - 1 : 0);
    say(own->tentative, count ? count - 1 : 0, count);
    if (count) own->tentative[strlen(own->tentative) - 1] = 0;
    text->committed = own->committed;
    text->tentative = own->tentative;
    return TRANSCRIBE_OK;
}
void transcribe_stream_reset(transcribe_session *session) {
    if (session->is_open) note("reset", -1);
    session->is_open = 0;
}

const char *transcribe_full_text(const transcribe_session *session) { return session->whole; }
const char *transcribe_detected_language(const transcribe_session *session) { (void)session; return ""; }
int transcribe_n_segments(const transcribe_session *session) { (void)session; return 0; }
int transcribe_n_words(const transcribe_session *session) { (void)session; return 0; }
int transcribe_n_tokens(const transcribe_session *session) { (void)session; return 0; }
void transcribe_segment_init(struct transcribe_segment *segment) { (void)segment; }
void transcribe_word_init(struct transcribe_word *word) { (void)word; }
void transcribe_token_init(struct transcribe_token *token) { (void)token; }
int transcribe_get_segment(const transcribe_session *session, int index, struct transcribe_segment *segment) {
    (void)session; (void)index; (void)segment;
    return 1;
}
int transcribe_get_word(const transcribe_session *session, int index, struct transcribe_word *word) {
    (void)session; (void)index; (void)word;
    return 1;
}
int transcribe_get_token(const transcribe_session *session, int index, struct transcribe_token *token) {
    (void)session; (void)index; (void)token;
    return 1;
}
int transcribe_get_whisper_chunk_count(const transcribe_session *session) { (void)session; return 0; }
void transcribe_whisper_chunk_trace_init(struct transcribe_whisper_window *window) { (void)window; }
int transcribe_get_whisper_chunk_trace(const transcribe_session *session, int index, struct transcribe_whisper_window *window) {
    (void)session; (void)index; (void)window;
    return 1;
}
