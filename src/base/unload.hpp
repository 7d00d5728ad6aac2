// What a library frees when dlclose() unloads it.
//
// A library's destructors run when it is unloaded and when the process ends. At the end of a
// process nothing needs freeing, and threads that are not joined may be in the middle of loops that
// use anything: so nothing is freed then. Before an unloading the program has left the library on
// all threads, or they would run code that is gone.
//
// To tell the two apart, look who calls: dlclose() and exit() are both on the stack under the
// destructors that they run, and the inner one counts. No state of the process would do. A function
// that was passed to atexit() is no witness: if a thread first uses the library after exit() has
// called all of them, it is called too late; and if a library's constructor passed it, after the
// destructors, too. The destructors of static objects cannot look, for GCC's function that calls
// them (__do_global_dtors_aux) cannot be unwound. Destructor functions can, and they run before.
//
// Nothing is freed while workers live, either: they may be in parts of loops whose caller has gone.
//
// The C library's list of what it calls at the end holds 32 functions at first. Once it is longer,
// threads that call exit() at the same time crash in it, until glibc 2.41. So that the list is the
// program's, all that a library frees is one entry.
#pragma once

#include <utility>

namespace doall::base {

// Whether there are workers, or are about to be; set by the library that has them. One for all of
// doall's libraries; null: none yet.
extern bool (*workers_alive)();

enum class end_of { unknown, library, process };

// Looks at the stack: what ends. Takes no lock and allocates nothing. Where dlclose() unloads
// nothing (musl) it is always the process.
end_of look_for_end();

// For the library that it is in, each of which includes this.
[[gnu::visibility("hidden")]] inline constinit end_of what_ends = end_of::unknown;

[[gnu::destructor, gnu::visibility("hidden")]] inline void note_end() {
  if (what_ends == end_of::unknown) what_ends = look_for_end();
}

// Called by a destructor of the library: whether exit() runs it, not dlclose().
[[gnu::visibility("hidden")]] inline bool process_ends() {
  note_end();
  return what_ends == end_of::process;
}

// A static object: when its library is unloaded, `free` is called, after the library's destructor
// functions, unless workers live. Those of a library are called in one go, the newest first, when
// its other static objects have ended (`of_this_library` begins before them): so `free` uses none
// that has a destructor.
class [[gnu::visibility("hidden")]] at_unload {
 public:
  explicit at_unload(void (*free)()) : free_(free), older_(std::exchange(newest, this)) {}
  at_unload(const at_unload&) = delete;
  at_unload& operator=(const at_unload&) = delete;

  static void free_all() {
    for (const at_unload* each = newest; each != nullptr; each = each->older_) each->free_();
  }

 private:
  static inline constinit const at_unload* newest = nullptr;  // of this library

  void (*free_)();
  const at_unload* older_;
};

// Ends with the library that it is in.
struct [[gnu::visibility("hidden")]] unloading {
  constexpr unloading() = default;
  ~unloading() {
    if (process_ends()) return;
    if (workers_alive == nullptr || !workers_alive()) at_unload::free_all();
  }
  unloading(const unloading&) = delete;
  unloading& operator=(const unloading&) = delete;
};
[[gnu::visibility("hidden")]] inline constinit unloading of_this_library;

}  // namespace doall::base
