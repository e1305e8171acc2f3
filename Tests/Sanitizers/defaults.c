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
        // Not lost: an object that is weakly referenced holds its counts beside it, behind an address that it keeps shifted, and so the
        // sanitizer doesn't take it for one.
        "leak:formWeakReference\n"
        // Nor are these, in a program that ends while another thread is at work: Swift keeps of which kind a Data or a JSON value is in its
        // pointer's unused bits, and nothing else points there.
        "leak:20FoundationEssentials4DataVyACxc\n"
        "leak:6Outbox10JSONParserV\n"
        // libvosk loses what it has made of a model that it then refuses. Built without frame pointers, it does not let see who has
        // asked for a piece of its memory. That we free all its models and recognizers is shown by counting them (SoakTests).
        "leak:libvosk.so\n"
        "leak:libstdc++.so\n";
}

// Races that are not to be reported, each with its reason.
const char *__tsan_default_suppressions(void) {
    return
        // With --save-audio blocks come through an AsyncThrowingStream, whose lock is in Swift's own library, where it isn't seen: two tasks
        // with such a stream between them, and nothing else, get the same report.
        "race:5utter9LiveInputC13AsyncIteratorV7stamped\n";
}

// A signal ends a program as it does without a sanitizer, since what it means is tested. Names of functions, by which leaks are told
// apart above, are there for programs that the tests start without a PATH to what reads them. Reports come into files, since the tests
// look at what a program says, or at nothing of it.
static const char *const options = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"
                                   ":external_symbolizer_path=" SYMBOLIZER ":log_path=" REPORTS ":print_suppressions=0";
const char *__asan_default_options(void) { return options; }
const char *__tsan_default_options(void) { return options; }

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
