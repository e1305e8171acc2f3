#include "CWorkerStart.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

// In SecondPassWorker.swift and VoskServer.swift. They do not return.
void utter_second_pass_worker_serve(int parent) __attribute__((noreturn));
void utter_vosk_process_serve(int parent) __attribute__((noreturn));

// A process that was started as /proc/self/exe is called "exe" in ps(1) and top(1). It is to be found by the name that it was given.
static void take_name(const char *given) {
    char name[16] = "";
    if (prctl(PR_GET_NAME, name) != 0 || strcmp(name, "exe") != 0) return;
    const char *slash = strrchr(given, '/');
    prctl(PR_SET_NAME, slash == NULL ? given : slash + 1);
}

// A worker is the program itself, started again, whoever wrote it. So it must become the worker before that program's main: what
// main does, it does once, and a program needs no line for workers. glibc gives a constructor the arguments of main.
__attribute__((constructor)) static void start_worker(int count, char **arguments) {
    if (count > 0) take_name(arguments[0]);
    if (count != 3) return;
    if (strcmp(arguments[1], WORKER_OPTION) == 0) utter_second_pass_worker_serve(atoi(arguments[2]));
    if (strcmp(arguments[1], VOSK_PROCESS_OPTION) == 0) utter_vosk_process_serve(atoi(arguments[2]));
}
