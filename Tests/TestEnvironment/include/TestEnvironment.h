#pragma once

#include <stddef.h>

/// The folder with the settings that the tests' devices need. By the time anybody can ask, the environment of this
/// process names them.
const char *test_devices_folder(void);

/// Has all threads of this process use one heap. By default the C library makes one for each, and of all but the first it keeps some
/// hundred kilobytes, so that the memory would depend on the number of threads.
void test_use_one_heap(void);

/// How many bytes of that heap are in use.
size_t test_heap_in_use(void);
