// affinity-last: affinity, but an iteration is in the queue of the worker that last ran it.
//
// Paper: AFS, section 4.3, the modification proposed after Figure 6: if a load imbalance does not
// change, affinity moves the same iterations in every run; assigned to where they last ran, they
// move once. The paper has not built it and fears fragmentation; fragments.hpp bounds that.
//
// A queue is a worker's fragments one after the other, in increasing order. Taking is affinity's
// (affinity.hpp), except that a chunk ends where its fragment does. A thief notes what it took.
// When all workers have left, finish() hands what moved from the victims' queues to the thieves',
// the largest moves first.
//
// Without memory, in the first run, and when the loop has another number of iterations than the
// last time, the queues are the even partition, and this is affinity. So a loop that shrinks from
// run to run (Gauss elimination) starts anew each time; it gains nothing, and from its second
// change on pays nothing either. What is kept does not grow with N, so huge loops need no special
// case.
//
// State: affinity's, and whether anything moved. The queues are only read while the loop runs. A
// run that is given up and not finished leaves them as they were.
// Terminates as affinity does.
// Cost: as affinity, and O(F) for each chunk to find its fragment, F <= 32 in a queue; at most F
// chunks more in a queue than affinity's. finish(): O(1) when nothing moved, else O(P F) and O(F)
// for each move, of which there are at most P F. Memory: 1.5 KB for each worker.
#pragma once

#include "schedule/affinity.hpp"
#include "schedule/fragments.hpp"

namespace doall::schedules {

// The workers' queues as the last run left them, updated for the next.
class remembered_queues {
 public:
  // A queue as it is remembered; in one piece if it is not.
  struct queue {
    const fragment_list* fragments;  // null: not remembered
    block_queue whole;

    u64 size() const { return fragments != nullptr ? fragments->size() : whole.size(); }
    range cut(u64 gone, u64 most) const {
      return fragments != nullptr ? fragments->cut(gone, most) : whole.cut(gone, most);
    }
  };

  explicit remembered_queues(const loop_context& loop)
      : shape_(loop.shape), memory_(static_cast<loop_fragments*>(loop.memory)) {
    if (memory_ == nullptr) return;
    loop_fragments::about about = memory_->loop.get();
    run_ = ++about.runs;
    about.changes = about.last_iterations == shape_.iterations ? 0 : about.changes + 1;
    about.last_iterations = shape_.iterations;
    memory_->loop.set(about);
    known_ = about.iterations == shape_.iterations && about.workers == shape_.workers;
    changing_ = about.changes > 1;
  }

  queue of(std::uint32_t v) const {
    if (known_) return {&memory_->at(v).queue.get(), {}};
    return {nullptr, {partition_of(v, shape_)}};
  }

  // Whether to note moves: not in a loop that changes each time.
  bool remembers() const { return memory_ != nullptr && !changing_; }

  // Called by the thief alone, while the loop runs.
  void note(std::uint32_t thief, const move& made) {
    move_list moves = memory_->at(thief).moves.get();
    moves.add(run_, made);
    memory_->at(thief).moves.set(moves);
  }

  // Called when all have left and something moved.
  void settle() {
    if (!known_) divide_evenly();
    bool more = true;
    for (std::uint32_t i = 0; more; ++i) {
      more = false;
      for (std::uint32_t thief = 0; thief < shape_.workers; ++thief) {
        const move_list& moves = memory_->at(thief).moves.get();
        if (i >= moves.count(run_)) continue;
        hand_over(moves[i], thief);
        more = true;
      }
    }
  }

 private:
  void divide_evenly() {
    for (std::uint32_t w = 0; w < shape_.workers; ++w) {
      memory_->at(w).queue.set(fragment_list(partition_of(w, shape_)));
    }
    loop_fragments::about about = memory_->loop.get();
    about.iterations = shape_.iterations;
    about.workers = shape_.workers;
    memory_->loop.set(about);
  }

  void hand_over(const move& made, std::uint32_t thief) {
    fragment_list from = memory_->at(made.victim).queue.get();
    fragment_list to = memory_->at(thief).queue.get();
    if (!from.remove(made.what) || !to.insert(made.what)) return;
    memory_->at(made.victim).queue.set(from);
    memory_->at(thief).queue.set(to);
  }

  loop_shape shape_;
  loop_fragments* memory_;  // null: there is none
  u64 run_ = 0;
  bool known_ = false;     // the memory is about such a loop
  bool changing_ = false;  // two runs in a row were not like the ones before them
};

class affinity_last : private affinity_over<remembered_queues> {
 public:
  using affinity_over::options;

  static constexpr description about = {
      .name = "affinity-last",
      .paper = "AFS",
      .summary = "affinity, but an iteration is queued where it last ran",
      .parameters = parameters,
      .properties = keeps_affinity | remembers,
  };

  explicit affinity_last(const loop_context& loop) : affinity_over(loop) {}

  // affinity's next(); a thief also notes what it took.
  chunk next(worker w, feedback last) {
    const chunk given = affinity_over::next(w, last);
    if (given.from == origin::stolen && queues().remembers()) {
      queues().note(w.index, {{given.begin, given.end}, given.victim});
      // (1) relaxed; alone: a hint, so that a loop stores it about once and others keep the line
      if (!moved_.load(sync::relaxed)) {
        // (2) relaxed; alone: the join orders it before (3)
        moved_.store(true, sync::relaxed);
      }
    }
    return given;
  }

  void finish() {
    // (3) relaxed; alone: all have left
    if (moved_.load(sync::relaxed)) queues().settle();
  }

  static std::size_t memory_bytes(std::uint32_t workers) { return loop_fragments::bytes(workers); }

 private:
  alignas(base::line_bytes) sync::atomic<bool> moved_{false};
};

}  // namespace doall::schedules
