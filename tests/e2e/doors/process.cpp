// A process under test:
//   doors_process ENDING SEED
#include <cstdio>
#include <cstdlib>

#include "doors/endings.hpp"
#include "doors/locks.hpp"

// Memory of threads that a process's end cuts short is not lost; forks are for programs to make.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
extern "C" const char* __tsan_default_options() { return "die_after_fork=0:exitcode=66"; }

int main(int count, char** arguments) {
  using namespace doall::doors;
  const ending run = count == 3 ? find_ending(arguments[1]) : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "usage: doors_process ENDING SEED (endings.cpp lists them)\n");
    return 2;
  }
  answer_with_stacks();
  lock_table::begin_anew(false);
  return run(std::strtoull(arguments[2], nullptr, 10));
}
