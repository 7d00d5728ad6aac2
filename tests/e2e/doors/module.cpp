// The random programs as a library that is loaded and unloaded, and doall with it (unload.cpp).
#include "doors/endings.hpp"
#include "doors/locks.hpp"

extern "C" __attribute__((visibility("default"))) void doors_run(unsigned long long seed) {
  using namespace doall::doors;
  answer_with_stacks();
  if (lock_table::current == nullptr) lock_table::begin_anew(false);
  run_program(seed);
}
