// Linked into the stress tests: under a sanitizer their atomics are delayed now and then
// (src/base/sync_delays.hpp). Set before the first atomic, so before other files' constructors.
#include <cstdlib>

[[gnu::constructor(101)]] static void delay_atomics() { setenv("DOALL_SYNC_SEED", "1", 0); }
