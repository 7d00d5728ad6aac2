// Linked into every test: native loops get the workers they ask for, on any machine. Without
// it a machine with two CPUs would test teams of two.
#include <cstdlib>

namespace {
[[maybe_unused]] const int set = setenv("DOALL_OVERSUBSCRIBE", "true", 0);
}
