// What ThreadSanitizer doesn't see of Swift's Mutex. Most of it is compiled into its user, where the sanitizer watches; but who
// finds it locked, or has kept another waiting, goes on in Swift's own library, which isn't watched. Each such call is
// passed on from here, and the sanitizer told of it. Scripts/check-sanitized links it into every program that is built for threads.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>
#include <stdint.h>
#include <stdlib.h>

#define CALL __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

CALL void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK_SLOW);
CALL void lock_slow(uint32_t thread, SELF void *mutex) {
    ((CALL void (*)(uint32_t, SELF void *))original(LOCK_SLOW))(thread, mutex);
    __tsan_acquire(mutex);
}

CALL void unlock_slow(SELF void *mutex) __asm__(UNLOCK_SLOW);
CALL void unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    ((CALL void (*)(SELF void *))original(UNLOCK_SLOW))(mutex);
}
