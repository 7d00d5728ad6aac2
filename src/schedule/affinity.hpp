// affinity: every worker has a queue of its own, the same one each time the
// loop runs; who runs dry takes a little from the fullest.
//
// Paper: AFS, Figure 1. Worker w's queue begins as its share (schedule.hpp). A
// worker takes ceil(1/k) of what its own queue still holds, k = P by default;
// when that is empty, ceil(1/P) of the queue that holds most. A chunk that was
// taken is run by its taker, indivisibly, so an iteration moves at most once.
// As the paper's footnote 4 has it, reading a queue's load is not synchronised;
// only taking is.
//
// Where the paper is silent: owner and thief both take from the front. Then all
// that a queue needs is how much of it is gone, `taken`, and taking is one
// compare-and-swap of that word for both of them.
//
// State per worker: `taken`, 0 to the share's size, brought to 0 by whoever
// touches the queue first (base/first_touch.hpp), so that a queue whose owner
// has not arrived can be stolen from. A queue that somebody is initialising
// counts as empty: its initialiser takes from it next, so nothing is lost.
// Chunks of a queue are disjoint and adjacent because `taken` only grows, by
// compare-and-swap.
//
// Terminates: a failed swap means that another worker took a chunk. A worker
// gets an empty chunk only after a scan that found every queue empty or being
// initialised; loads only fall, so an empty queue stays empty.
// Cost: own chunk: one compare-and-swap on a line that only thieves share;
// stolen chunk: a scan of P lines and one compare-and-swap (AFS, section 2.2,
// finds the scan good up to 64 processors). Per queue O(k log(N / P k) +
// P log(N / P^2)) swaps (Theorem 3.1).
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class affinity {
 public:
  explicit affinity(const loop_context& loop)
      : shape_(loop.shape),
        k_(loop.given.k == 0 ? loop.shape.workers : loop.given.k),
        lines_(loop.lines),
        epoch_(loop.epoch) {}

  chunk next(worker w, feedback) {
    const chunk mine = take(w.index, k_, origin::own);
    if (!mine.empty()) return mine;
    for (;;) {
      const std::uint32_t victim = most_loaded();
      if (victim == nobody) return nothing_left;
      const chunk stolen =
          take(victim, shape_.workers, victim == w.index ? origin::own : origin::stolen);
      if (!stolen.empty()) return stolen;
    }
  }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  static sync::atomic<u64>& taken(worker_line& line) { return line.word[0]; }

  // Takes ceil(1/part) of what queue v holds; empty if it holds nothing.
  chunk take(std::uint32_t v, u64 part, origin from) {
    worker_line& line = lines_[v];
    const share whole = share_of(v, shape_);
    // (1) relaxed; alone: first_touch publishes it
    if (!line.touch.ensure(epoch_, [&] { taken(line).store(0, sync::relaxed); })) {
      return nothing_left;
    }
    // (2) relaxed; alone: only a guess for (3), which decides
    u64 gone = taken(line).load(sync::relaxed);
    for (;;) {
      if (gone == whole.size()) return nothing_left;
      const u64 size = base::ceil_div(whole.size() - gone, part);
      // (3) relaxed; alone: the count itself is all that is communicated
      if (taken(line).compare_exchange_weak(gone, gone + size, sync::relaxed, sync::relaxed)) {
        return {whole.begin + gone, whole.begin + gone + size, 1, from, v};
      }
    }
  }

  std::uint32_t most_loaded() const {
    std::uint32_t fullest = nobody;
    u64 most = 0;
    for (std::uint32_t v = 0; v < shape_.workers; ++v) {
      const u64 load = load_of(v);
      if (load > most) {
        most = load;
        fullest = v;
      }
    }
    return fullest;
  }

  u64 load_of(std::uint32_t v) const {
    worker_line& line = lines_[v];
    const u64 size = share_of(v, shape_).size();
    switch (line.touch.look(epoch_)) {
      case base::first_touch::state::stale: return size;
      case base::first_touch::state::initialising: return 0;
      // (4) relaxed; alone: a hint; (3) decides
      case base::first_touch::state::ready: return size - taken(line).load(sync::relaxed);
    }
    return 0;
  }

  loop_shape shape_;
  u64 k_;
  worker_line* lines_;
  u64 epoch_;
};

}  // namespace doall::schedules
