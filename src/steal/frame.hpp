// A loop while it is run by stealing: what all who hold a part of it share.
//
// Frames live in pools that are never freed as long as anybody may steal (frame_stack), so a
// thief may read `parent`, `depth` and `workers` of a frame that was another loop's a moment ago:
// it gets the wrong answer, not a wrong address, and its theft then fails (worker.hpp). All else is
// read only by who holds a part of the loop. A part that somebody holds, or that lies in a deque,
// keeps its loop alive, and so all loops around it.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "base/cache_line.hpp"
#include "base/fp_state.hpp"
#include "base/sync.hpp"
#include "schedule/splitting.hpp"

namespace doall::steal {

using schedules::part;
using schedules::u64;

class worker;
struct frame;

// LBS's task descriptor (section 2.1): some iterations of a loop, or a frame of hybrid's
// claiming heuristic (claiming.hpp).
struct descriptor {
  frame* loop = nullptr;
  part what;
};

// Runs iterations [begin, end); 0 to go on, anything else to stop the loop.
using loop_body = int (*)(void* context, u64 begin, u64 end, u64 step, std::uint32_t worker);

// Hybrid's flags are one word of the loop's frame.
inline constexpr std::uint32_t most_partitions = 64;

// What is fixed when the loop begins.
struct terms {
  u64 iterations = 0;
  worker* starter = nullptr;
  std::uint32_t workers = ~0U;  // whose number is smaller: they may take part
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
  // The loop in one of whose iterations this one was met; null: in none.
  sync::atomic<frame*> parent{nullptr};
  sync::atomic<std::uint32_t> depth{0};
  sync::atomic<std::uint32_t> workers{~0U};  // as in its terms
  sync::plain<terms> fixed;                  // before anybody else has a part

  // Of all who have a part.
  alignas(base::apart_bytes) sync::atomic<u64> left{0};  // iterations not yet reported (stint.hpp)
  sync::atomic<int> verdict{0};                          // what the first body to stop it said
  sync::atomic<u64> claimed{0};                          // a flag for each partition

  // Whether the loop is `of`, or was met in one of its iterations, or in one of
  // a loop's that was. O(difference in depth).
  bool descends_from(const frame& of) const {
    // (1) relaxed; alone: a frame that is alive was published with the part; of another, see above
    const std::uint32_t goal = of.depth.load(sync::relaxed);
    const frame* at = this;
    for (;;) {
      if (at == &of) return true;
      // (2) relaxed; alone: as (1)
      const std::uint32_t depth = at->depth.load(sync::relaxed);
      if (depth <= goal) return false;
      // (3) relaxed; alone: as (1)
      const frame* const up = at->parent.load(sync::relaxed);
      // (4) relaxed; alone: as (1); it falls at each step, so this ends whatever is read
      if (up == nullptr || up->depth.load(sync::relaxed) >= depth) return false;
      at = up;
    }
  }
};

// The frames of the loops that one thread has started and not ended, the last one on top.
// Its storage grows and is kept.
class frame_stack {
 public:
  // Null: there is no memory.
  frame* push() {
    if (size_ == room() && !grow()) return nullptr;
    const std::size_t at = size_++;
    if (at < block_frames) return &first_[at];
    return &(*more_[at / block_frames - 1])[at % block_frames];
  }
  void pop() { --size_; }

 private:
#if defined(DOALL_SYNC_MODEL)
  static constexpr std::size_t block_frames = 2;
#else
  static constexpr std::size_t block_frames = 16;
#endif
  using block = std::array<frame, block_frames>;

  std::size_t room() const { return (more_.size() + 1) * block_frames; }

  [[gnu::noinline]] bool grow() try {
    more_.push_back(std::make_unique<block>());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }

  std::size_t size_ = 0;
  block first_;
  std::vector<std::unique_ptr<block>> more_;
};

}  // namespace doall::steal
