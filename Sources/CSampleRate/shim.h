// libsamplerate, as Debian's libsamplerate0-dev installs it.
#include <samplerate.h>
