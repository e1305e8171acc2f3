#pragma once

// The second argument of a process that works for another one: it decodes with libtranscribe, or it has a model of libvosk's. The third
// is the number of the process that has started it.
#define WORKER_OPTION "--second-pass-worker"
#define VOSK_PROCESS_OPTION "--libvosk-process"

// Sends an open descriptor over a socket of the Unix domain; 0, or -1 for an error. unix(7): SCM_RIGHTS
int utter_send_descriptor(int socket, int descriptor);
// Receives an open descriptor; -1 when no more will come.
int utter_receive_descriptor(int socket);
