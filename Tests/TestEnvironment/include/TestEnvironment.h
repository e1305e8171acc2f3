#pragma once

/// The folder with the settings that the tests' devices need. By the time anybody can ask, the environment of this
/// process names them.
const char *test_devices_folder(void);
