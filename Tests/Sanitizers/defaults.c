// What the sanitizers are told by the programs themselves, since the tests start many with an environment of their own.
// Scripts/check-sanitized links it into every program of its build.

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Leaks that are not to be reported, each with its reason.
const char *__lsan_default_suppressions(void) {
    return
        // Foundation loses its buffer, 4 KiB, whenever it reads a file of size 0 that is empty, as /proc/PID/cmdline of the
        // kernel's own threads is. The tests look there for processes.
        "leak:readBytesFromFile\n"
        // So it does with the weak reference by which it watches a child. (A name that begins with $ would mean the end of one.)
        "leak:s10Foundation7ProcessC3runyyKF\n"
        // libvosk loses what it has made of a model that it then refuses. Built without frame pointers, it does not let see who has
        // asked for a piece of its memory. That we free all its models and recognizers is shown by counting them (SoakTests).
        "leak:libvosk.so\n"
        "leak:libstdc++.so\n";
}

// Races that are not to be reported, each with its reason.
const char *__tsan_default_suppressions(void) {
    return "";
}

// LeakSanitizer can't look into a process that strace traces.
int __lsan_is_turned_off(void) {
    char status[4096];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    ssize_t count = read(file, status, sizeof status - 1);
    close(file);
    if (count <= 0) return 1;
    status[count] = 0;
    const char *tracer = strstr(status, "TracerPid:");
    return tracer && strtol(tracer + strlen("TracerPid:"), NULL, 10) != 0;
}
