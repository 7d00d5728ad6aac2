// affinity: every worker has a queue of its own, the same one each time the loop runs. A worker
// whose queue is empty takes a little from the fullest.
//
// Paper: AFS, Figure 1. Worker w's queue begins as its partition (schedule.hpp). A worker takes
// ceil(1/k) of what its own queue still holds, k = P by default; when that is empty, ceil(1/P) of
// the queue that holds most. The worker that takes a chunk runs all of it, so an iteration moves at
// most once. (`round=down` takes floor, at least one iteration: the counts in the paper's Tables 3
// to 5 are of that, though its text rounds up.) As in the paper's footnote 4, reading a queue's
// load is not synchronised; only taking is.
//
// Where the paper is silent: owner and thief both take from the front. Then a queue only needs to
// record how much of it is gone, `taken`, and taking is one compare-and-swap of that word for both.
//
// How much to take of another's queue, `rob`: 1/rob, P by default as in the paper.
//
// Which queue to rob, `victim`: AFS, section 2.2, finds the scan of all queues good up to 64
// processors and wants a randomised policy beyond. `fullest` scans; `random` takes from the fuller
// of two queues drawn at random, and scans when some draws in a row found nothing, since only a
// scan can tell that nothing is left. Default: fullest up to 64 workers, random above. A draw is a
// function of loop, worker and turn, so virtual time repeats.
//
// State for each worker: `taken`, 0 to the queue's size. The first worker to touch the queue brings
// it to 0 (base/first_touch.hpp), so that a queue whose owner has not arrived can be robbed. For
// thieves a queue that is being initialised counts as empty: its initialiser takes from it next.
// Its owner waits until it is ready, so no owner leaves while its own queue is full. Chunks of a
// queue are disjoint and adjacent because `taken` only grows, by compare-and-swap.
//
// Terminates: a failed swap means that another worker took a chunk. An owner waits for a thief that
// is between two instructions (waiting.hpp). A worker gets an empty chunk only after a scan that
// found every queue empty or being initialised; loads only fall, so an empty queue stays empty.
// Cost: own chunk: one compare-and-swap on a line that only thieves share. Stolen chunk: a scan of
// P lines, or at random of two, and one compare-and-swap. For each queue
// O(k log(N / P k) + P log(N / P^2)) swaps (Theorem 3.1).
#pragma once

#include <algorithm>

#include "base/rng.hpp"
#include "schedule/rounding.hpp"
#include "schedule/schedule.hpp"
#include "schedule/waiting.hpp"

namespace doall::schedules {

enum victim_choice : u64 { fullest = 1, at_random };

// The algorithm over any queues: Queues(loop) says by of(v) what queue v held when
// the loop began, as a value with
//   u64 size()               how many iterations
//   share cut(gone, most)    those after the first `gone`, at least one, at most `most`
template <class Queues>
class affinity_over {
 public:
  struct options {
    u64 k = 0;
    u64 victim = 0;  // of enum victim_choice
    u64 round = 0;   // of enum rounding
    u64 rob = 0;
  };

  static constexpr few<parameter, most_options> parameters = {
      {.key = "k",
       .positional = true,
       .meaning = "takes 1/k of its own queue at a time; default P"},
      {.key = "victim",
       .meaning = "fullest, the default to 64 workers, or random: the fuller of two drawn",
       .words = {"fullest", "random"}},
      {.key = "round",
       .meaning = "those parts rounded up, the default, or down",
       .words = rounding_words},
      {.key = "rob", .meaning = "takes 1/rob of another's queue; default P"}};

  explicit affinity_over(const loop_context& loop)
      : queues_(loop),
        workers_(loop.shape.workers),
        draws_most_(draws(loop)),
        k_(given(loop).k == 0 ? loop.shape.workers : given(loop).k),
        rob_(given(loop).rob == 0 ? loop.shape.workers : given(loop).rob),
        rounds_down_(given(loop).round == round_down),
        lines_(loop.lines),
        epoch_(loop.epoch) {}

  chunk next(worker w, feedback) {
    const chunk mine = take(w.index, k_, origin::own);
    if (!mine.empty()) [[likely]]
      return mine;
    return is_ready(w.index) ? help(w) : arrive_late(w);
  }

 protected:
  Queues& queues() { return queues_; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static constexpr std::uint32_t scanned_workers_most = 64;  // by default
  static constexpr std::uint32_t draws_before_scan = 8;

  static options given(const loop_context& loop) { return loop.given.as<options>(); }

  static std::uint32_t draws(const loop_context& loop) {
    const u64 asked = given(loop).victim;
    const bool scans = asked == 0 ? loop.shape.workers <= scanned_workers_most : asked == fullest;
    return scans ? 0 : draws_before_scan;
  }

  static sync::atomic<u64>& taken(worker_line& line) { return line.word[0]; }

  u64 part_of(u64 load, u64 part) const {
    return rounds_down_ ? std::max<u64>(load / part, 1) : base::ceil_div(load, part);
  }

  // Takes 1/part of what queue v holds; empty if it holds nothing.
  chunk take(std::uint32_t v, u64 part, origin from) {
    worker_line& line = lines_[v];
    const auto queue = queues_.of(v);
    const u64 size = queue.size();
    // (1) relaxed; alone: first_touch publishes it
    if (!line.touch.ensure(epoch_, [&] { taken(line).store(0, sync::relaxed); })) {
      return nothing_left;
    }
    // (2) relaxed; alone: only a guess for (3), which decides
    u64 gone = taken(line).load(sync::relaxed);
    for (;;) {
      if (gone == size) return nothing_left;
      const range cut = queue.cut(gone, part_of(size - gone, part));
      const u64 then = gone + cut.size();
      // (3) relaxed; alone: the count itself is all that is communicated
      if (taken(line).compare_exchange_weak(gone, then, sync::relaxed, sync::relaxed)) {
        return {cut.begin, cut.end, 1, from, v};
      }
    }
  }

  bool is_ready(std::uint32_t v) const {
    return lines_[v].touch.look(epoch_) == base::first_touch::state::ready;
  }

  // For a worker whose own queue a thief was just initialising. Kept out of the usual path.
  [[gnu::noinline]] chunk arrive_late(worker w) {
    for (unsigned looks = 0; !is_ready(w.index); ++looks) {
      if (!wait_.pause(looks)) return nothing_left;
    }
    const chunk mine = take(w.index, k_, origin::own);
    return mine.empty() ? help(w) : mine;
  }

  // For a worker whose own queue is empty. Kept out of the usual path.
  [[gnu::noinline]] chunk help(worker w) {
    base::rng draw(base::rng(epoch_ << 32 ^ w.index).next() ^ w.turn);
    for (std::uint32_t draws = 0; draws < draws_most_; ++draws) {
      const chunk found = take_from(fuller_of_two(draw), w);
      if (!found.empty()) return found;
    }
    for (;;) {
      const std::uint32_t victim = most_loaded();
      if (victim == nobody) return nothing_left;
      const chunk found = take_from(victim, w);
      if (!found.empty()) return found;
    }
  }

  chunk take_from(std::uint32_t victim, worker w) {
    if (victim == nobody) return nothing_left;
    return take(victim, rob_, victim == w.index ? origin::own : origin::stolen);
  }

  std::uint32_t fuller_of_two(base::rng& draw) const {
    const auto a = static_cast<std::uint32_t>(draw.below(workers_));
    const auto b = static_cast<std::uint32_t>(draw.below(workers_));
    const u64 load_a = load_of(a);
    const u64 load_b = load_of(b);
    if (load_a == 0 && load_b == 0) return nobody;
    return load_a >= load_b ? a : b;
  }

  std::uint32_t most_loaded() const {
    std::uint32_t fullest_one = nobody;
    u64 most = 0;
    for (std::uint32_t v = 0; v < workers_; ++v) {
      const u64 load = load_of(v);
      if (load > most) {
        most = load;
        fullest_one = v;
      }
    }
    return fullest_one;
  }

  u64 load_of(std::uint32_t v) const {
    worker_line& line = lines_[v];
    const u64 size = queues_.of(v).size();
    switch (line.touch.look(epoch_)) {
      case base::first_touch::state::stale: return size;
      case base::first_touch::state::initialising: return 0;
      // (4) relaxed; alone: a hint; (3) decides
      case base::first_touch::state::ready: return size - taken(line).load(sync::relaxed);
    }
    return 0;
  }

  Queues queues_;
  std::uint32_t workers_;
  std::uint32_t draws_most_;  // 0: scans without draws
  u64 k_;
  u64 rob_;
  bool rounds_down_;
  worker_line* lines_;
  u64 epoch_;
  waiting wait_;
};

// Iterations in one piece.
struct block_queue {
  range block;

  u64 size() const { return block.size(); }
  range cut(u64 gone, u64 most) const { return {block.begin + gone, block.begin + gone + most}; }
};

// Worker v's queue is its even partition.
class even_queues {
 public:
  explicit even_queues(const loop_context& loop) : shape_(loop.shape) {}
  block_queue of(std::uint32_t v) const { return {partition_of(v, shape_)}; }

 private:
  loop_shape shape_;
};

class affinity : public affinity_over<even_queues> {
 public:
  static constexpr description about = {
      .name = "affinity",
      .aliases = {"afs"},
      .paper = "AFS",
      .summary = "own queue first, the same one every time; then a little from the fullest",
      .parameters = parameters,
      .properties = keeps_affinity,
  };

  using affinity_over::affinity_over;
};

}  // namespace doall::schedules
