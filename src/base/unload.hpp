// What a library frees when dlclose() unloads it.
//
// A library's destructors run when it is unloaded and when the process ends, and nothing
// tells them which it is. What they free must not be in use: a process may end from within a
// parallel region, or while another thread runs one. So nothing is freed while a team is
// at work. What is made again after that, by loops that static objects run as they die,
// is the system's to take back.
#pragma once

namespace doall::base {

// Whether a team is at work; set by who has teams. One for all of doall's libraries.
extern bool (*team_at_work)();

// Calls `free` when the library that it is a static object of is unloaded or the process ends,
// after that library's destructor functions, unless a team is at work.
class at_unload {
 public:
  explicit at_unload(void (*free)()) : free_(free) {}
  ~at_unload() {
    if (team_at_work == nullptr || !team_at_work()) free_();
  }
  at_unload(const at_unload&) = delete;
  at_unload& operator=(const at_unload&) = delete;

 private:
  void (*free_)();
};

}  // namespace doall::base
