// A process under test:
//   doors_process ENDING SEED
#include <cstdio>
#include <cstdlib>

#include "doors/endings.hpp"
#include "doors/frame.hpp"

// Memory of threads that a process's end cuts short is not lost; nor is that of a main thread which
// leaves by pthread_exit(), whose thread_local destructors glibc does not run. Forks are for
// programs to make. The sanitizers' libraries find only what the program exports.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options() { return "detect_leaks=0"; }
[[gnu::visibility("default")]] const char* __tsan_default_options() {
  return "die_after_fork=0:exitcode=66";
}
}

namespace {

// An object of the program that dies at exit, and one of each thread that uses it when it dies.
// Threads of the program's own may end meanwhile, at the program's risk; a worker of doall's may
// end only before, or not at all. Not in a module, which such an object would keep loaded.
struct table {
  ~table() { is_there = false; }
  static inline std::atomic<bool> is_there{true};
} dies_at_exit;

struct user {
  ~user() {
    if (doall::doors::is_own_thread) return;
    doall::doors::check(table::is_there, "a thread-local object that outlives what exit destroys");
  }
};

void use_table() {
  thread_local user of_this_thread;
  asm volatile("" : : "r"(&of_this_thread) : "memory");
}

}  // namespace

int main(int count, char** arguments) {
  using namespace doall::doors;
  const ending run = count == 3 ? find_ending(arguments[1]) : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "usage: doors_process ENDING SEED (endings.cpp lists them)\n");
    return 2;
  }
  answer_with_stacks();
  at_leaf = use_table;
  lock_table::begin_anew(false);
  return run(std::strtoull(arguments[2], nullptr, 10));
}
