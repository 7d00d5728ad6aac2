// Locks and fork(): the child has the forking thread alone, so a lock that another
// thread held would never be free again.
//
// A fork takes all of these locks, one after the other, in an order that the linker and the loader
// choose. So no thread may hold one and wait for another: it might wait for the fork, which waits
// for it. Nor may it wait for a thread that takes another, with one exception: a lock that forks
// take first (fork_order). The fork holds no other lock while it waits for that one. Functions that
// take a lock of their own (to open a ledger, to warn once, to read the environment) are called
// before or after. Builds with assertions (sanitizers, stress tests) end a program that breaks
// this, immediately and on any schedule.
#pragma once

#include <pthread.h>

#include <mutex>

#include "base/unload.hpp"

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DOALL_CHECKS_LOCKS
#include <unistd.h>

#include <cstdlib>
#endif

#if defined(__GLIBC__)
// What pthread_atfork() calls with the library's own handle, whose handlers the end of a process
// takes away like dlclose().
extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept;
extern "C" void __cxa_finalize(void*);
#endif

namespace doall::base {

// Ends with the library that it is in.
class [[gnu::visibility("hidden")]] fork_handlers {
 public:
  constexpr fork_handlers() = default;
  ~fork_handlers();
  fork_handlers(const fork_handlers&) = delete;
  fork_handlers& operator=(const fork_handlers&) = delete;

  int add(void (*before)(), void (*in_parent)(), void (*in_child)());
};
[[gnu::visibility("hidden")]] inline constinit fork_handlers handlers_of_this_library;

// As pthread_atfork(), until the library is unloaded. The handlers stay at the end of the process:
// glibc (2.36) would take them away in the middle of another thread's fork, and end the process
// with an abort.
#if defined(__GLIBC__)
inline int fork_handlers::add(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  return __register_atfork(before, in_parent, in_child, this);
}
inline fork_handlers::~fork_handlers() {
  if (!process_ends()) __cxa_finalize(this);
}
#else
inline int fork_handlers::add(void (*before)(), void (*in_parent)(), void (*in_child)()) {
  return pthread_atfork(before, in_parent, in_child);
}
inline fork_handlers::~fork_handlers() = default;
#endif

[[gnu::visibility("hidden")]] inline int at_fork(void (*before)(), void (*in_parent)(),
                                                 void (*in_child)()) {
  return handlers_of_this_library.add(before, in_parent, in_child);
}

// A lock of static storage. No thread holds two such locks.
class lone_mutex {
 public:
  void lock() {
    note_waiting();
    mutex_.lock();
    note(1);
  }
  // Does not wait. False: a thread holds it, perhaps this one.
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    note(1);
    return true;
  }
  void unlock() {
    note(-1);
    mutex_.unlock();
  }

  // Called by a fork, which takes them all.
  void lock_in_fork() {
    note_waiting();
    mutex_.lock();
  }
  void unlock_in_fork() { mutex_.unlock(); }

 private:
#if defined(DOALL_CHECKS_LOCKS)
  // Hidden: a unique symbol would keep the library from being unloaded.
  [[gnu::visibility("hidden")]] static inline constinit thread_local int held = 0;
  static void note(int more) { held += more; }
  static void note_waiting() {
    if (held == 0) return;
    constexpr char wrong[] = "doall: wrong: a thread waits for a second lock (base/fork.hpp)\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, wrong, sizeof wrong - 1);
    std::abort();
  }
#else
  static void note(int) {}
  static void note_waiting() {}
#endif

  std::mutex mutex_;
};

// A lock that every fork takes, and what comes after it in the fork's order.
struct fork_lock {
  void (*take)();
  void (*give_back)();
  fork_lock* next = nullptr;
};
template <auto& lock>
[[gnu::visibility("hidden")]] inline constinit fork_lock its_fork_lock{
    [] {
      if constexpr (requires { lock.lock_in_fork(); })
        lock.lock_in_fork();
      else
        lock.lock();
    },
    [] {
      if constexpr (requires { lock.unlock_in_fork(); })
        lock.unlock_in_fork();
      else
        lock.unlock();
    }};
[[gnu::visibility("hidden")]] inline constinit fork_lock* locks_of_this_library = nullptr;

// `first`: the thread that holds this lock may wait for threads that take others.
enum class fork_order { first, any };

// Makes every fork wait until no thread holds the lock, so that it is free in the child. Ends with
// the library. Called once for a lock, while the library is loaded. Returns an error number of
// at_fork().
template <auto& lock>
int free_in_children(fork_order order = fork_order::any) {
  fork_lock** at = &locks_of_this_library;
  const bool is_only_one = *at == nullptr;
  if (order == fork_order::any) {
    while (*at != nullptr) at = &(*at)->next;
  }
  its_fork_lock<lock>.next = *at;
  *at = &its_fork_lock<lock>;
  if (!is_only_one) return 0;
  constexpr auto give_back_all = [] {
    for (fork_lock* l = locks_of_this_library; l != nullptr; l = l->next) l->give_back();
  };
  return at_fork(
      [] {
        for (fork_lock* l = locks_of_this_library; l != nullptr; l = l->next) l->take();
      },
      give_back_all, give_back_all);
}

}  // namespace doall::base
