// The functions of libvosk (https://github.com/alphacep/vosk-api, 0.3.45) that utter calls.
// The wheel from which Scripts/setup takes the library has no header, so these are our own declarations. Only functions that every
// supported libvosk exports are here. Newer functions are looked up at run time.
#ifndef UTTER_CVOSK_H
#define UTTER_CVOSK_H

#pragma clang assume_nonnull begin

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VoskModel VoskModel;
typedef struct VoskRecognizer VoskRecognizer;

/// Returns NULL if the folder is not a model; the reason is in the library's log.
VoskModel *_Nullable vosk_model_new(const char *model_path);
void vosk_model_free(VoskModel *model);
/// Returns the word's number, or -1 if the model does not know it.
int vosk_model_find_word(VoskModel *model, const char *word);

VoskRecognizer *_Nullable vosk_recognizer_new(VoskModel *model, float sample_rate);
/// `grammar` is a JSON array of phrases. An empty array or other JSON crashes the library.
VoskRecognizer *_Nullable vosk_recognizer_new_grm(VoskModel *model, float sample_rate, const char *grammar);
void vosk_recognizer_set_max_alternatives(VoskRecognizer *recognizer, int max_alternatives);
void vosk_recognizer_set_words(VoskRecognizer *recognizer, int words);
void vosk_recognizer_set_partial_words(VoskRecognizer *recognizer, int partial_words);
/// Returns 1 at an endpoint, 0 otherwise, -1 after an exception in the library. `length` is the number of samples.
int vosk_recognizer_accept_waveform_s(VoskRecognizer *recognizer, const short *data, int length);
/// The strings belong to the recognizer and are freed at its next call.
const char *_Nullable vosk_recognizer_result(VoskRecognizer *recognizer);
const char *_Nullable vosk_recognizer_partial_result(VoskRecognizer *recognizer);
const char *_Nullable vosk_recognizer_final_result(VoskRecognizer *recognizer);
void vosk_recognizer_free(VoskRecognizer *recognizer);

/// 0 logs messages and warnings, below 0 only errors, above 0 more.
void vosk_set_log_level(int log_level);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end

#endif
