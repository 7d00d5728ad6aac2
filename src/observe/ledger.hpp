// A per-thread profile: what one thread does in loops that run by stealing, for the report.
//
// A program may run millions of nested loops, so counting one writes nothing that is shared and
// takes no lock: each thread has a ledger, with a page for each loop of the source that it has met.
// It alone writes there. The report's writer adds the pages up, at any time.
//
// Time. A thread is in the runtime's part of a loop, in the program's part of it, or waits for the
// loop's end. At each change it reads the clock, and adds the time since the last change to where
// it was. A loop that begins inside a body, and a part that is stolen during a wait, lie on top of
// that: while the thread is there the one below gets nothing.
//
// Counters. At the same changes, but for those between body and runtime, the growth of the thread's
// steal::counts is added to the loop that it was in. Thefts since the last change, including failed
// ones, are added to the loop that was stolen from in the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/sync.hpp"
#include "deque/counts.hpp"
#include "observe/site.hpp"

namespace doall::observe {

// A number that one thread changes and any may read.
class own_count {
 public:
  void add(std::uint64_t n) {
    // (1) relaxed; alone: only its thread writes it
    const std::uint64_t before = number_.load(sync::relaxed);
    // (2) relaxed; alone: a sum; nothing else is communicated
    number_.store(before + n, sync::relaxed);
  }
  std::uint64_t get() const {
    // (3) relaxed; alone: as (2)
    return number_.load(sync::relaxed);
  }

 private:
  sync::atomic<std::uint64_t> number_{0};
};

// One execution of such a loop, shared by all threads that take part. It outlives their stays.
struct execution {
  site* of = nullptr;
  site_kind kind = site_kind::nested;
  // Tallies by number, of the workers of the outermost loop that runs by stealing, which is this
  // loop or an ancestor; null: there is none.
  tally* team = nullptr;
  stay_samples* samples = nullptr;
};

class ledger {
 public:
  explicit ledger(const deque::counts& done)
      : done_(done), settled_(done), generation_(process_generation()) {}

  enum class role : bool { starter, thief };

  // The thread, which has that number, takes part in the loop from enter() until leave().
  void enter(const execution& loop, role as, std::uint32_t worker);
  void leave();

  // Between them it runs pieces of the loop,
  void begin_body() {
    pass_to(place::body);
    inside_.back().piece_began_ticks = settled_ticks_;
  }
  void end_body(const schedules::chunk& piece);
  // and may wait for the loop's end.
  void begin_waiting() {
    pass_to(place::waiting);
    inside_.back().waiting_began_ticks = settled_ticks_;
  }
  void end_waiting();

  // Counts a split of that loop, which is the one that the thread is in, or lies around it.
  void note_split(const execution& loop);

  // Called by the starter, before leave(). tell(): how the loop runs, on how many workers, and why.
  // add_team(): what all did, if it is outermost and has ended.
  void tell(const schedules::spec& how, std::uint32_t workers, reason why);
  void add_team(std::span<const tally> team, std::uint32_t workers);

  // The workers of the loop that the thread is in, as in execution::team.
  tally* team() const { return inside_.empty() ? nullptr : inside_.back().loop.team; }

  // Adds what it has of the process's loops to sum(site), a record in ticks. Any thread.
  template <class Sum>
  void add_to(Sum sum) const {
    for (const page* p = first_page(); p != nullptr; p = p->next) {
      p->add_to(sum(p->of));
    }
  }

  // Whether it only has what the parent of a forked process did.
  bool is_left_behind() const;

  ledger* next = nullptr;  // in the list of all ledgers; set by the thread that opens it

 private:
  enum class place : std::uint8_t { runtime, body, waiting };

  struct page {
    site* of = nullptr;
    page* next = nullptr;
    bool of_nested = false;
    own_count calls, iterations, wall_ticks, busy_ticks, inside_ticks, capacity_ticks,
        bottleneck_ticks, waited_ticks, chunks_own, chunks_stolen, stay_compared, stay_stayed;
    std::array<own_count, sizeof(deque::counts) / sizeof(std::uint64_t)> stealing;

    // Accessed by the thread alone: how often it is in the loop; what it last told the site.
    std::uint32_t depth = 0;
    std::uint32_t workers = 0;
    schedules::spec how;

    void add(const deque::counts& more);
    void add_to(record& sum) const;
  };

  // A loop that the thread is in. A copy: in the child of a fork the starter's stack, where the
  // execution lies, may have become another thread's.
  struct stay {
    execution loop;
    page* on;
    role as;
    place where;
    bool has_stolen;  // and has not yet run any of it
    std::uint32_t worker;
    std::uint64_t began_ticks;
    std::uint64_t piece_ticks = 0;  // of the piece, so far
    std::uint64_t piece_began_ticks = 0;
    std::uint64_t waiting_began_ticks = 0;
    std::uint64_t iterations = 0;  // for the trace, as the next
    std::uint64_t pieces = 0;
  };

  const page* first_page() const;
  page& page_of(const execution& loop);
  void begin_anew();
  void settle(std::uint64_t now_ticks);
  static void trace_stay(const stay& s, std::uint64_t now_ticks);
  void settle_counts(page* victim);
  void pass_to(place next);

  const deque::counts& done_;  // of the thread
  deque::counts settled_;      // what is on the pages already
  std::uint64_t settled_ticks_ = 0;
  std::vector<stay> inside_;
  std::vector<page*> by_site_;  // by its number; null: it has none yet
  std::vector<std::unique_ptr<page>> all_;
  sync::atomic<page*> pages_{nullptr};      // of this process
  sync::atomic<std::uint64_t> generation_;  // of the process
};

// Opens the ledger of a thread, which counts what it does there; null when not enabled(), or if
// there is no memory. Takes no lock: threads that start threads hold some. The ledger is kept until
// the library is unloaded. `done` must exist until the report is written.
ledger* open_ledger(const deque::counts& done) noexcept;

}  // namespace doall::observe
