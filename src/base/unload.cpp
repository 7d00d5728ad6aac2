#include "base/unload.hpp"

#include "base/sync.hpp"

// What atexit() calls (Itanium C++ ABI, 3.3.6.3). ThreadSanitizer's atexit() does not say which
// library calls it, so exit() would run the function after the library was unloaded.
extern "C" {
int __cxa_atexit(void (*function)(void*), void* argument, void* library);
extern void* __dso_handle __attribute__((visibility("hidden")));
}

namespace doall::base {

bool (*workers_alive)() = nullptr;

namespace {

// Either may come first: see the header.
constinit sync::atomic<bool> exit_called{false};
constinit sync::atomic<bool> unloading{false};

// Calls of watch_for_exit(). The first ones may be before main(), where exit() does not see what
// they register.
constinit sync::atomic<int> asked{0};
constexpr int asked_enough = 64;

// A fork waits for threads that are in atexit(): glibc's lock would be taken in the child for ever,
// and the child could not even exit(). A call that comes meanwhile is put off until after the fork.
constinit sync::atomic<int> registering{0};
constinit sync::atomic<int> forking{0};
constinit sync::atomic<bool> put_off{false};

void register_here() {
  // (2) relaxed; alone: as (1)
  asked.fetch_add(1, sync::relaxed);
  // (3) relaxed; alone: the thread that ends the process reads it
  static_cast<void>(
      __cxa_atexit([](void*) { exit_called.store(true, sync::relaxed); }, nullptr, &__dso_handle));
}

// Whether a call was put off. If so the calling thread makes it.
bool take_over() {
  // (14) seq_cst; pairs with (12): as there
  return put_off.exchange(false, sync::seq_cst);
}

[[gnu::constructor]] void watch_from_load() { watch_for_exit(); }

// The destructor of the library that has this file; runs before its static objects are destroyed.
[[gnu::destructor]] void note_unloading() {
  // (4) relaxed; alone: the thread that unloads has been told
  const bool told = exit_called.load(sync::relaxed);
  // (6) relaxed; alone: this thread reads it, at (5)
  if (!told) unloading.store(true, sync::relaxed);
}

}  // namespace

void watch_for_exit() {
  // (1) relaxed; alone: a count that only spares the next line
  if (asked.load(sync::relaxed) >= asked_enough) return;
  // (8) seq_cst; pairs with (11): this thread sees the fork, or the fork waits for it
  registering.fetch_add(1, sync::seq_cst);
  // (9) seq_cst; pairs with (10): as (8)
  bool is_mine = forking.load(sync::seq_cst) == 0;
  if (!is_mine) {
    // (12) seq_cst; pairs with (14): this thread sees the fork's end, or the fork's end sees this
    put_off.store(true, sync::seq_cst);
    // (19) seq_cst; pairs with (15): as (12)
    is_mine = forking.load(sync::seq_cst) == 0 && take_over();
  }
  if (is_mine) register_here();
  // (13) release; pairs with (11): atexit() has returned
  registering.fetch_sub(1, sync::release);
}

void before_fork() {
  watch_for_exit();
  // (10) seq_cst; pairs with (9): as (8)
  forking.fetch_add(1, sync::seq_cst);
  // (11) seq_cst; pairs with (8), (13): as (8)
  while (registering.load(sync::seq_cst) != 0) sync::yield();
}

void after_fork_in_parent() {
  // (15) seq_cst; pairs with (19): as (12)
  forking.fetch_sub(1, sync::seq_cst);
  if (take_over()) watch_for_exit();
}

void after_fork_in_child() {
  // (16) relaxed; alone: there is no other thread
  forking.store(0, sync::relaxed);
  // (17) relaxed; alone: as (16)
  registering.store(0, sync::relaxed);
  // (18) relaxed; alone: as (16)
  put_off.store(false, sync::relaxed);
}

bool process_ends() {
  // (7) relaxed; alone: only the loader has called it, so there is nothing to free
  if (asked.load(sync::relaxed) <= 1) return true;
  // (5) relaxed; alone: written by this thread, or not at all
  return exit_called.load(sync::relaxed) && !unloading.load(sync::relaxed);
}

}  // namespace doall::base
