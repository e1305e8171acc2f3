#pragma once

// The second argument of a process that decodes for another one. The third is the number of the process that has started it.
#define WORKER_OPTION "--second-pass-worker"
