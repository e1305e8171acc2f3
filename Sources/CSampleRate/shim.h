// libsamplerate, as Debian's libsamplerate0-dev installs it.
#include <samplerate.h>

// Calls through a table from a real-time thread: the compiler can't see through a function pointer, so this declares what the functions
// in the table promise. libsamplerate allocates only in src_new.
#define SAMPLE_RATE_REAL_TIME static inline __attribute__((swift_attr("@_noLocks")))

typedef int (*sample_rate_process_function)(SRC_STATE *, SRC_DATA *);
typedef int (*sample_rate_reset_function)(SRC_STATE *);

SAMPLE_RATE_REAL_TIME int sample_rate_process(sample_rate_process_function process, SRC_STATE *state, SRC_DATA *data) {
    return process(state, data);
}

SAMPLE_RATE_REAL_TIME int sample_rate_reset(sample_rate_reset_function reset, SRC_STATE *state) { return reset(state); }
