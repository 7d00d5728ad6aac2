// What one thread does in loops that are stolen from, for the report.
//
// Nested loops are met by the million, so counting one writes nothing that is shared and takes no
// lock: each thread has a ledger, with a page for each loop of the source that it has met. It alone
// writes there; who writes the report adds the pages up, at any time.
//
// Time. A thread is in the runtime's part of a loop, in the program's part of it, or waits for
// the loop's end. A reading of the clock at each change gives what has passed to where the
// thread was. A loop that is met inside of a body, and a part that is stolen during a wait, lie
// on top of that: while the thread is there the one below gets nothing.
//
// Counters. At the same changes, but for those between body and runtime, what the thread's
// steal::counts have grown by goes to the loop that it was in; but the thefts since the last
// change, failed ones included, to the loop that was robbed in the end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/sync.hpp"
#include "observe/site.hpp"
#include "steal/counts.hpp"

namespace doall::observe {

// A number that one thread changes and any may read.
class own_count {
 public:
  void add(std::uint64_t n) {
    // (1) relaxed; alone: its thread alone writes it
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

// One execution of such a loop, as all see it who take part. It outlives their stays.
struct execution {
  site* of = nullptr;
  const void* identity = nullptr;  // of the loop
  site_kind kind = site_kind::nested;
  // Of the workers of the outermost loop that is stolen from, which this one is or descends
  // from, by number; null: there is none.
  tally* team = nullptr;
  stay_samples* samples = nullptr;
};

class ledger {
 public:
  explicit ledger(const steal::counts& done)
      : done_(done), settled_(done), generation_(process_generation()) {}

  enum class role : bool { starter, thief };

  // The thread, which has that number, takes part in the loop, until leave().
  void enter(const execution& loop, role as, std::uint32_t worker);
  void leave();

  // Between them it runs pieces of the loop,
  void begin_body() { pass_to(place::body); }
  void end_body(const schedules::chunk& piece);
  // and may wait for the loop's end.
  void begin_waiting() { pass_to(place::waiting); }
  void end_waiting() { pass_to(place::runtime); }

  // The thread has split that loop, which need not be the one that it is in but may lie around it.
  void note_split(const execution& loop);

  // By the starter, before leave(): how the loop is run, on how many workers; and what all did,
  // if it is outermost and has ended.
  void tell(const schedules::spec& how, std::uint32_t workers);
  void add_team(std::span<const tally> team, std::uint32_t workers);

  // The site of a loop that the thread has met before; null: it has not.
  site* known_site(const execution& loop) const;

  // The workers of the loop that the thread is in, as in execution::team.
  tally* team() const { return inside_.empty() ? nullptr : inside_.back().loop->team; }

  // Any thread. Adds what it has of the process's loops to sum(site), a record in ticks.
  template <class Sum>
  void add_to(Sum sum) const {
    for (const page* p = first_page(); p != nullptr; p = p->next) {
      p->add_to(sum(p->of));
    }
  }

  // Whether it has nothing but what the parent of a forked process did.
  bool is_left_behind() const;

 private:
  enum class place : std::uint8_t { runtime, body, waiting };

  struct page {
    site* of = nullptr;
    page* next = nullptr;
    own_count calls, iterations, wall_ticks, busy_ticks, inside_ticks, capacity_ticks,
        bottleneck_ticks, chunks_own, chunks_stolen, stay_compared, stay_stayed;
    std::array<own_count, sizeof(steal::counts) / sizeof(std::uint64_t)> stealing;

    // The thread's alone: how often it is in the loop; what it last told the site.
    std::uint32_t depth = 0;
    std::uint32_t workers = 0;
    schedules::spec how;

    void add(const steal::counts& more);
    void add_to(record& sum) const;
  };

  // A loop that the thread is in.
  struct stay {
    const execution* loop;
    page* on;
    role as;
    place where;
    bool has_stolen;  // and not yet run any of it
    std::uint32_t worker;
    std::uint64_t began_ticks;
  };

  struct key {
    const void* identity;
    site_kind kind;
    bool operator==(const key&) const = default;
  };
  struct hash {
    std::size_t operator()(const key& k) const {
      return std::hash<const void*>()(k.identity) ^ static_cast<std::size_t>(k.kind);
    }
  };

  const page* first_page() const;
  page& page_of(const execution& loop);
  void begin_anew();
  void settle(std::uint64_t now_ticks);
  void settle_counts(page* robbed);
  void pass_to(place next);

  const steal::counts& done_;  // of the thread
  steal::counts settled_;      // of these, what is on the pages
  std::uint64_t settled_ticks_ = 0;
  std::vector<stay> inside_;
  std::unordered_map<key, page*, hash> by_loop_;
  std::vector<std::unique_ptr<page>> all_;
  sync::atomic<page*> pages_{nullptr};  // of this process
  std::uint64_t generation_;            // of the process
};

// The ledger of a thread that counts what it does there; null when not enabled(), or if there is
// no memory. Kept until the library is unloaded, and `done` is to be there until the report is
// written.
ledger* open_ledger(const steal::counts& done) noexcept;

}  // namespace doall::observe
