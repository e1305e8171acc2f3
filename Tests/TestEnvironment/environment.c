#include "TestEnvironment.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[4096];

const char *test_devices_folder(void) { return folder; }

void test_use_one_heap(void) { mallopt(M_ARENA_MAX, 1); }

size_t test_heap_in_use(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

// setenv races with getenv on other threads, and the tests run on many; before main there is one thread only.
__attribute__((constructor)) static void set_environment(void) {
    char path[sizeof folder + 32];
    snprintf(folder, sizeof folder, "%s", __FILE__);
    *strrchr(folder, '/') = 0;
    strncat(folder, "/Devices", sizeof folder - strlen(folder) - 1);
    snprintf(path, sizeof path, "%s/asound.conf", folder);
    setenv("ALSA_CONFIG_PATH", path, 1);
    snprintf(path, sizeof path, "%s/pulse-client.conf", folder);
    setenv("PULSE_CLIENTCONFIG", path, 1);
    // What a recording client asks the server for; without it, everything is heard two seconds late.
    setenv("PULSE_LATENCY_MSEC", "20", 1);
    // No sound server but a test's own.
    setenv("PULSE_SERVER", "unix:/nowhere", 1);
}
