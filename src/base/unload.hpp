// What a library frees when dlclose() unloads it.
//
// A library's destructors run when it is unloaded and when the process ends, and nothing
// tells them which it is. What they free must not be in use: a process may end from within a
// parallel region, or while another thread runs one, and the objects of a program that doall is
// linked into are destroyed before its workers end. So nothing is freed while workers live. What is
// made again after that, by loops that static objects run as they die, is the system's to
// take back.
#pragma once

namespace doall::base {

// Whether there are workers, or are about to be; set by who has them. One for all of doall's
// libraries; null: none yet.
extern bool (*workers_alive)();

// Calls `free` when the library that it is a static object of is unloaded or the process ends,
// after that library's destructor functions, unless workers live.
class at_unload {
 public:
  explicit at_unload(void (*free)()) : free_(free) {}
  ~at_unload() {
    if (workers_alive == nullptr || !workers_alive()) free_();
  }
  at_unload(const at_unload&) = delete;
  at_unload& operator=(const at_unload&) = delete;

 private:
  void (*free_)();
};

}  // namespace doall::base
