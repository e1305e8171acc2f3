// ALSA's PCM interface, as Debian's libasound2-dev installs it, and eventfd(2), which the C library's own module lacks.
#include <alsa/asoundlib.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// Every call that the capture thread makes while it runs, in one table, so that a test can make each of them fail. Each gets the PCM, by
// which a test's own functions find their state.
struct capture_calls {
    // poll(2), with a negative errno for an error.
    int (*wait)(snd_pcm_t *pcm, struct pollfd *descriptors, nfds_t count, int milliseconds);
    // snd_pcm_poll_descriptors_revents
    int (*events)(snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count, unsigned short *events);
    // snd_pcm_readi
    snd_pcm_sframes_t (*read)(snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t count);
    // snd_pcm_avail_update
    snd_pcm_sframes_t (*avail)(snd_pcm_t *pcm);
    // snd_pcm_state
    snd_pcm_state_t (*state)(snd_pcm_t *pcm);
    // snd_pcm_prepare
    int (*prepare)(snd_pcm_t *pcm);
    // snd_pcm_start
    int (*start)(snd_pcm_t *pcm);
    // snd_pcm_resume
    int (*resume)(snd_pcm_t *pcm);
    // Nanoseconds on a monotonic clock.
    int64_t (*now)(snd_pcm_t *pcm);
    // Wakes the thread or task that waits for an eventfd.
    void (*wake)(snd_pcm_t *pcm, int event_descriptor);
};

// The compiler can't see through a function pointer, so this declares what the capture thread may rely on. What ALSA does inside its
// calls is its own responsibility; reading a hardware PCM is one ioctl.
#define CAPTURE_REAL_TIME static inline __attribute__((swift_attr("@_noLocks")))

CAPTURE_REAL_TIME int capture_wait(
    const struct capture_calls *calls, snd_pcm_t *pcm, struct pollfd *descriptors, nfds_t count, int milliseconds) {
    return calls->wait(pcm, descriptors, count, milliseconds);
}

CAPTURE_REAL_TIME int capture_events(
    const struct capture_calls *calls, snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int count, unsigned short *events) {
    return calls->events(pcm, descriptors, count, events);
}

CAPTURE_REAL_TIME snd_pcm_sframes_t capture_read(
    const struct capture_calls *calls, snd_pcm_t *pcm, void *buffer, snd_pcm_uframes_t count) {
    return calls->read(pcm, buffer, count);
}

CAPTURE_REAL_TIME snd_pcm_sframes_t capture_avail(const struct capture_calls *calls, snd_pcm_t *pcm) {
    return calls->avail(pcm);
}

CAPTURE_REAL_TIME snd_pcm_state_t capture_state(const struct capture_calls *calls, snd_pcm_t *pcm) {
    return calls->state(pcm);
}

CAPTURE_REAL_TIME int capture_prepare(const struct capture_calls *calls, snd_pcm_t *pcm) { return calls->prepare(pcm); }

CAPTURE_REAL_TIME int capture_start(const struct capture_calls *calls, snd_pcm_t *pcm) { return calls->start(pcm); }

CAPTURE_REAL_TIME int capture_resume(const struct capture_calls *calls, snd_pcm_t *pcm) { return calls->resume(pcm); }

CAPTURE_REAL_TIME int64_t capture_now(const struct capture_calls *calls, snd_pcm_t *pcm) { return calls->now(pcm); }

// Nanoseconds since 1970. clock_gettime(2)
CAPTURE_REAL_TIME int64_t capture_time_of_day(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

CAPTURE_REAL_TIME void capture_wake(const struct capture_calls *calls, snd_pcm_t *pcm, int event_descriptor) {
    calls->wake(pcm, event_descriptor);
}

// Writes one wake-up to a non-blocking eventfd with write(2). If its counter is full, the reader has been woken already.
static inline void capture_write_wake_up(int event_descriptor) {
    const uint64_t one = 1;
    ssize_t written = write(event_descriptor, &one, sizeof one);
    (void)written;
}
