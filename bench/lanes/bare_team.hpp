// A team that can be released and joined, and nothing else: the least that a parallel loop on these
// CPUs can cost. It has no schedule, no body to hand on, no sleep, no lease and no stealing.
//
// A half-barrier (fine-grain): worker w has a line on which it is released and a line on which it
// joins, both written by one thread. Worker w releases, and then joins, workers
// w fan + 1 ... w fan + fan; worker 0 is the caller. A fan of all others is a flat team.
//
// Terminates: a worker waits for its parent's release and its children's joins, and the numbers of
// parents are below those of their children.
// Cost: a loop of P workers: 2 (P - 1) lines, one after the other along the tree's longest branch.
// What lies above it, and what was tried:
// docs/investigations/2026-11-26-short-loops-beside-a-plain-one.md.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "lanes/pin.hpp"

namespace doall::bench {

class bare_team {
 public:
  using part = void (*)(std::uint32_t worker);

  // Pins worker i to the i-th CPU; empty: pins none. The caller is worker 0.
  bare_team(std::uint32_t threads, std::uint32_t fan, const std::vector<int>& cpus)
      : threads_(threads), fan_(fan), slots_(std::make_unique<slot[]>(threads)) {
    const auto pin = [cpus](std::uint32_t w) {
      if (!cpus.empty()) pin_calling_thread(cpus[w % cpus.size()]);
    };
    for (std::uint32_t w = 1; w < threads; ++w) {
      others_.emplace_back([this, w, pin] {
        pin(w);
        serve(w);
      });
    }
    pin(0);
  }
  ~bare_team() {
    run_from(0, ++loops_, {.of = nullptr, .is_last = true});
    for (std::thread& t : others_) t.join();
  }
  bare_team(const bare_team&) = delete;
  bare_team& operator=(const bare_team&) = delete;

  std::uint32_t threads() const { return threads_; }

  // Each worker calls `of` once; null: nobody calls anything. Only the caller's thread may call it.
  void run(part of) { run_from(0, ++loops_, {of}); }

 private:
  struct work {
    part of = nullptr;
    bool is_last = false;  // the worker leaves after it
  };
  struct alignas(base::apart_bytes) release_line {
    sync::atomic<std::uint64_t> loop{0};
    work todo;
  };
  struct alignas(base::apart_bytes) join_line {
    sync::atomic<std::uint64_t> loop{0};
  };
  struct slot {
    release_line release;
    join_line join;
  };

  void run_from(std::uint32_t w, std::uint64_t loop, work todo) {
    const std::uint32_t first = w * fan_ + 1;
    for (std::uint32_t c = first; c < first + fan_ && c < threads_; ++c) {
      slots_[c].release.todo = todo;
      // (1) release; pairs with (2): `todo`, and what the caller did before
      slots_[c].release.loop.store(loop, sync::release);
    }
    if (todo.of != nullptr) todo.of(w);
    for (std::uint32_t c = first; c < first + fan_ && c < threads_; ++c) {
      wait_for(slots_[c].join.loop, loop);
    }
  }

  void serve(std::uint32_t w) {
    for (std::uint64_t loop = 1;; ++loop) {
      wait_for(slots_[w].release.loop, loop);
      const work todo = slots_[w].release.todo;
      run_from(w, loop, todo);
      // (3) release; pairs with (2): what the worker did
      slots_[w].join.loop.store(loop, sync::release);
      if (todo.is_last) return;
    }
  }

  // Looks without a pause: each worker has a CPU of its own (burden.cpp).
  static void wait_for(const sync::atomic<std::uint64_t>& line, std::uint64_t loop) {
    // (2) acquire; pairs with (1), (3)
    while (line.load(sync::acquire) != loop) {
    }
  }

  const std::uint32_t threads_;
  const std::uint32_t fan_;
  const std::unique_ptr<slot[]> slots_;
  std::vector<std::thread> others_;
  // Apart from what the others read in every loop.
  alignas(base::apart_bytes) std::uint64_t loops_ = 0;
};

}  // namespace doall::bench
