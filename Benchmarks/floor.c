// The floor of the benchmark: the least that any program can do to hear a file with libvosk. It reads a 16 kHz, mono,
// 16-bit WAV with a plain 44-byte header, feeds it in blocks of 1,600 samples, and prints each result's text.
//
//     floor MODEL FILE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __clang__
#define _Nullable
#endif
#include "../Sources/CVosk/vosk.h"

static void print_text(const char *result) {
    const char *text = strstr(result, "\"text\" : \"");
    if (!text) return;
    text += strlen("\"text\" : \"");
    const char *end = strchr(text, '"');
    if (end && end > text) printf("%.*s\n", (int)(end - text), text);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL FILE\n", argv[0]);
        return 64;
    }
    FILE *file = fopen(argv[2], "rb");
    unsigned char header[44];
    if (!file || fread(header, 1, sizeof header, file) != sizeof header || memcmp(header, "RIFF", 4) != 0
        || memcmp(header + 36, "data", 4) != 0 || memcmp(header + 22, "\x01\x00\x80\x3e\x00\x00", 6) != 0) {
        fprintf(stderr, "%s: %s is not a 16 kHz mono WAV with a plain header\n", argv[0], argv[2]);
        return 66;
    }
    vosk_set_log_level(-1);
    VoskModel *model = vosk_model_new(argv[1]);
    VoskRecognizer *recognizer = model ? vosk_recognizer_new(model, 16000) : NULL;
    if (!recognizer) {
        fprintf(stderr, "%s: %s is not a model\n", argv[0], argv[1]);
        return 66;
    }
    short block[1600];
    size_t count;
    while ((count = fread(block, sizeof block[0], 1600, file)) > 0)
        if (vosk_recognizer_accept_waveform_s(recognizer, block, (int)count) == 1)
            print_text(vosk_recognizer_result(recognizer));
    print_text(vosk_recognizer_final_result(recognizer));
    vosk_recognizer_free(recognizer);
    vosk_model_free(model);
    fclose(file);
    return 0;
}
