// What a library frees when dlclose() unloads it. At the end of a process it frees
// nothing: other threads may be inside of it still, and static objects of other
// libraries may run loops as they die.
//
// A library's destructor functions run on both occasions; what tells them apart is
// the order. When it is unloaded, its own static objects are destroyed after them;
// when the process ends, those of all libraries have been before.
//
// Each library has its own flag: hidden, so that no other's takes its place.
#pragma once

namespace doall::base {

[[gnu::visibility("hidden")]] inline constinit bool unloading = false;

// Calls `free` when the library that it is a static object of is unloaded, after that
// library's destructor functions.
class at_unload {
 public:
  explicit at_unload(void (*free)()) : free_(free) {}
  ~at_unload() {
    if (unloading) free_();
  }
  at_unload(const at_unload&) = delete;
  at_unload& operator=(const at_unload&) = delete;

 private:
  [[gnu::destructor, gnu::used, gnu::visibility("hidden")]] static void note_unloading() {
    unloading = true;
  }

  void (*free_)();
};

}  // namespace doall::base
