// A frame: a loop that runs by stealing, as all holders of its parts share it.
//
// Frames live in pools that are never freed while any thread may steal (frame_pool). So a thief may
// read `parent`, `depth` and `workers` of a frame that was another loop's a moment ago: it gets the
// wrong answer, not a wrong address, and its theft then fails (worker_thread.hpp). Only holders of
// a part read the rest. A part that a thread holds, or that lies in a deque, keeps its loop alive,
// and thereby all loops around it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "base/fp_state.hpp"
#include "base/no_memory.hpp"
#include "base/sync.hpp"
#include "schedule/splitting.hpp"

namespace doall::steal {

using schedules::part;
using schedules::u64;

class worker_thread;
struct frame;

// LBS's task descriptor (section 2.1): some iterations of a loop, or a frame of hybrid's claiming
// heuristic (claiming.hpp).
struct descriptor {
  frame* loop = nullptr;
  part what;
};

// Runs iterations [begin, end); returns 0 to go on, anything else to stop the loop.
using loop_body = int (*)(void* context, u64 begin, u64 end, u64 step, std::uint32_t worker);

// Hybrid's flags are one word of the loop's frame.
inline constexpr std::uint32_t most_partitions = 64;

// What is fixed when the loop begins.
struct terms {
  u64 iterations = 0;
  worker_thread* starter = nullptr;
  std::uint32_t workers = ~0U;  // workers with a smaller number may take part; 0: only its starter
  const schedules::splitting_operations* how = nullptr;
  alignas(8) std::byte rule[schedules::rule_bytes] = {};
  u64 worth = 1;                 // iterations that are worth a look at the deque
  std::uint32_t partitions = 0;  // hybrid's, a power of two, most_partitions at most; 0: not hybrid
  loop_body body = nullptr;
  void* context = nullptr;
  u64 first = 0;           // the body's iterations count from here
  bool backwards = false;  // and, with this, down from the last one
  base::fp_state fp{};     // the starter's
};

struct alignas(base::apart_bytes) frame {
  // The loop in whose iteration this one was begun; null: in none.
  sync::atomic<frame*> parent{nullptr};
  sync::atomic<std::uint32_t> depth{0};
  sync::atomic<std::uint32_t> workers{~0U};  // as in its terms
  sync::plain<terms> fixed;                  // written before another thread has a part

  // Accessed by all holders of a part.
  alignas(base::apart_bytes) sync::atomic<u64> left{0};  // iterations not yet reported (stint.hpp)
  sync::atomic<int> verdict{0};                          // of the first body to stop it
  sync::atomic<u64> claimed{0};                          // a flag for each partition

  // Accessed by its starter alone.
  frame* next_free = nullptr;
  bool is_orphan = false;  // the process has forked: it has no workers, and ends with its starter

  // Whether the loop is `of`, or was begun in an iteration of it or of one of its descendants.
  // O(difference in depth): of loops that lie in each other on one thread's stack, or on those of
  // the thieves whose parts they are in. So it is as deep as the program's recursion, each level of
  // which has executed a loop's call and body.
  bool descends_from(const frame& of) const {
    // (1) relaxed; alone: a live frame was published with the part; for a reused one, see above
    const std::uint32_t goal = of.depth.load(sync::relaxed);
    const frame* at = this;
    for (;;) {
      if (at == &of) return true;
      // (2) relaxed; alone: as (1)
      const std::uint32_t depth = at->depth.load(sync::relaxed);
      if (depth <= goal) return false;
      // (3) relaxed; alone: as (1)
      const frame* const up = at->parent.load(sync::relaxed);
      // (4) relaxed; alone: as (1); depth falls at each step, so this ends whatever is read
      if (up == nullptr || up->depth.load(sync::relaxed) >= depth) return false;
      at = up;
    }
  }
};

// How many workers loops inside that one may have.
inline std::uint32_t workers_of(const frame* around) {
  if (around == nullptr) return ~0U;
  // (5) relaxed; alone: this thread is in the loop, perhaps as the last one
  return std::max(around->workers.load(sync::relaxed), 1U);
}

// The loop around all that are around that one; null of null.
inline const frame* outermost_of(const frame* loop) {
  while (loop != nullptr) {
    // (7) relaxed; alone: as (5)
    const frame* const up = loop->parent.load(sync::relaxed);
    if (up == nullptr) break;
    loop = up;
  }
  return loop;
}

// Whether no other thread may take part in that loop, nor in those inside it.
inline bool is_for_starter_alone(const frame& loop) {
  // (6) relaxed; alone: as (5)
  return loop.workers.load(sync::relaxed) == 0;
}

// Frames for the loops that one thread begins. Its storage grows and is kept.
class frame_pool {
 public:
  frame_pool() { add(first_); }
  frame_pool(const frame_pool&) = delete;
  frame_pool& operator=(const frame_pool&) = delete;

  // Null: there is no memory.
  frame* take() {
    if (free_ == nullptr && !grow()) return nullptr;
    return std::exchange(free_, free_->next_free);
  }
  void give(frame* f) { f->next_free = std::exchange(free_, f); }

 private:
#if defined(DOALL_SYNC_MODEL)
  static constexpr std::size_t block_frames = 3;
#else
  static constexpr std::size_t block_frames = 16;
#endif
  using block = std::array<frame, block_frames>;

  void add(block& frames) {
    for (frame& f : frames) give(&f);
  }

  [[gnu::noinline]] bool grow() try {
    const base::may_fail here;
    add(*more_.emplace_back(std::make_unique<block>()));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  frame* free_ = nullptr;
  block first_;
  std::vector<std::unique_ptr<block>> more_;
};

}  // namespace doall::steal
