// A loop's site: one object for each place of the source where loops or regions begin. It holds, or
// points to, all that the runtime learns about the place.
//
// The key of a site is its code (the body, or the outlined function), its file and its line. Code
// alone is not enough: all loops of a C file share a body, and so do all in C++ that call one
// function object. Files are compared by address: the linker keeps one copy in a library.
//
//   first line     key; what an iteration costs
//   second line    records for the report; memory that it lends; where the times are by which its
//                  outermost loops, or regions, are decided
//
// Other findings have their own files:
// small_loops.hpp (costs), decide/ (what loops get), site_memory.hpp, observe/site.hpp. Sums of
// costs are not here: they belong to the array that has the costs, and loops share them
// (kept_costs.hpp).
//
// Lookup. A loop with a static doall_site finds the number of its site there, and compares the
// site's key: the number is wrong if several lines share a body, or after the library was unloaded
// and loaded again. All others look into a hash table without a lock (site_index.hpp). A thread
// that misses looks again under the lock, and adds the site. Sites are never moved, or freed before
// the library is unloaded; the child of a fork has them all.
//
// Bounded. There are at most most_sites. Further loops, and loops for which there is no memory, are
// mapped by their hash to crowd_sites sites that exist from the start: all loops of such a site are
// judged as one loop, by the last timings of any of them. So they are neither probed nor timed more
// often than others, take no memory, remember nothing between runs, and are reported together. If a
// library is unloaded and another loop is loaded at its address, on the same line, it finds stale
// words, which may cost speed, never an answer.
//
// State: all words of a site but its key are estimates or have protocols of their own; a word of
// one run beside a word of another misjudges a loop once. Callers: any thread, all functions.
// Cost: a number and a key, or a hash and a key, some 3 ns; for a new site a lock, and an
// allocation once in sites_a_block.
// Trials: three rules that failed: docs/investigations/2026-11-26-loops-that-workers-slow-down.md.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "decide/site_times.hpp"
#include "doall/abi.h"
#include "observe/site.hpp"
#include "sites/site_key.hpp"
#include "sites/small_loops.hpp"

namespace doall::team {

inline constexpr std::uint32_t most_sites = 1U << 17;
inline constexpr std::uint32_t crowd_sites = 64;
inline constexpr std::uint32_t sites_a_block = 64;

class memory_piece;

class alignas(base::apart_bytes) loop_site {
 public:
  using key_type = site_key;

  // The sum of each word times an odd number: keys that differ in few bits, wherever these lie,
  // differ in the sum's upper bits.
  static std::uint64_t hash_of(const site_key& key) {
    return reinterpret_cast<std::uintptr_t>(key.code) * 0x9e3779b97f4a7c15 +
           reinterpret_cast<std::uintptr_t>(key.file) * 0xbf58476d1ce4e5b9 +
           key.line * 0xd6e8feb86659fd93;
  }

  loop_site() = default;
  loop_site(const loop_site&) = delete;
  loop_site& operator=(const loop_site&) = delete;

  bool is_of(const site_key& key) const {
    return code_ == key.code && file_ == key.file && line_ == key.line;
  }
  site_key key() const { return {code_, file_, line_}; }
  std::uint32_t number() const { return number_; }

  // Whether it is the site of loops that have none of their own.
  bool is_crowd() const { return number_ == 0; }

  // Called by the index, before any other thread knows of it.
  void become(const site_key& key, std::uint32_t number) {
    code_ = key.code;
    file_ = key.file;
    line_ = key.line;
    number_ = number;
  }

  // The times by which its outermost loops, or regions, are decided; made at the first call.
  // Without memory, those of all such sites.
  decide::site_times& times() {
    // (3) acquire; pairs with (4): its words
    decide::site_times* const made = times_.load(sync::acquire);
    return made != nullptr ? *made : make_times();
  }
  // The same; null: none were made.
  const decide::site_times* times_if_made() const {
    // (6) acquire; pairs with (4): its words
    return times_.load(sync::acquire);
  }
  // Called when there is no other thread.
  void free_times() {
    // (7) relaxed; alone: there is no other thread
    delete times_.exchange(nullptr, sync::relaxed);
  }

 private:
  static decide::site_times* new_times();  // null: there is no memory
  static decide::site_times& times_of_others();
  [[gnu::noinline]] decide::site_times& make_times() {
    decide::site_times* const mine = new_times();
    if (mine == nullptr) return times_of_others();
    decide::site_times* others = nullptr;
    // (4) release; pairs with (3), (5), (6): its words
    // (5) acquire; pairs with (4): the words of another thread's
    if (times_.compare_exchange_strong(others, mine, sync::release, sync::acquire)) return *mine;
    delete mine;
    return *others;
  }

  const void* code_ = nullptr;
  const char* file_ = nullptr;
  std::uint32_t line_ = 0;
  std::uint32_t number_ = 0;  // from 1

 public:
  loop_cost cost;

  alignas(base::line_bytes) observe::site_records records;  // for the report
  memory_piece* memory = nullptr;                           // site_memory.cpp's, under its lock

 private:
  sync::atomic<decide::site_times*> times_{nullptr};
};
static_assert(sizeof(loop_site) == base::apart_bytes);

// The site of that key; makes it at the first call.
loop_site& site_of(const site_key& key);

inline site_key key_of(const doall_loop& loop) {
  return {reinterpret_cast<const void*>(loop.body), loop.file, loop.line};
}

// The same of a native loop, which may have its site's number.
loop_site& site_of(const doall_loop& loop);

// The record of a loop or region of that kind there; null: no report is wanted.
observe::site* record_of(const site_key& key, observe::site_kind kind, const char* door,
                         const char* function = nullptr, const void* region = nullptr);

// How one execution of it is counted, which begins now. `outer_threads`: of the regions around it,
// multiplied; 0: there is none.
observe::counting count_execution(const site_key& key, observe::site_kind kind, const char* door,
                                  const char* function, const void* region = nullptr,
                                  std::uint32_t outer_threads = 0);

// How many sites there are: for tests.
std::uint32_t count_sites();

}  // namespace doall::team
