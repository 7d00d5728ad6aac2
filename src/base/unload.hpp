// What a library frees when dlclose() unloads it.
//
// A library's destructors run when it is unloaded and when the process ends. At the end of a
// process nothing needs freeing, and threads that are not joined may be in the middle of loops that
// use anything: so nothing is freed then. Before an unloading the program has left the library on
// all threads, or they would run code that is gone. How to tell the two apart: a function that was
// passed to atexit() while the program ran is called by exit() before any library's destructor
// functions, but by dlclose() only after those of the library that passed it.
//
// If that was passed before main(), in the constructor of another library, the end of the process
// looks like an unloading: so watch_for_exit() is called again where threads begin to use the
// library. And nothing is freed while workers live, either: a process may end from within a
// parallel region.
#pragma once

namespace doall::base {

// Whether there are workers, or are about to be; set by the library that has them. One for all of
// doall's libraries; null: none yet.
extern bool (*workers_alive)();

// Makes process_ends() reliable. Any thread, any number of times; only the first few calls cost
// something.
void watch_for_exit();

// Handlers of every fork (fork.cpp): no thread is in atexit() while it happens.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

// Whether exit() has begun, not merely an unloading. For at_unload, in each of doall's libraries.
bool process_ends();

// A static object that calls `free` when its library is unloaded, after the library's destructor
// functions, unless workers live.
class at_unload {
 public:
  explicit at_unload(void (*free)()) : free_(free) {}
  ~at_unload() {
    if (process_ends()) return;
    if (workers_alive == nullptr || !workers_alive()) free_();
  }
  at_unload(const at_unload&) = delete;
  at_unload& operator=(const at_unload&) = delete;

 private:
  void (*free_)();
};

}  // namespace doall::base
