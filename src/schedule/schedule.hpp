// A schedule: a plain value that deals a loop's iterations in chunks. It has no threads, no clock,
// no allocation and no I/O. All that it needs are arguments, so that real threads, the property
// tests, the model checker and virtual time run the same object.
//
// The contract, for a schedule S over a loop of N iterations and P workers:
//
//   S(const loop_context&)         the first worker to arrive constructs it, in storage of at most
//                                  object_bytes
//   chunk next(worker, feedback)   any of the P workers calls it, at any time, in parallel
//   chunk usual(worker)            optional: the usual case of next() alone; an empty chunk only
//                                  means to call next()
//   plan plan_ahead(worker)        optional: the worker's next chunks, if they are alike; they are
//                                  dealt as they are taken, and a worker that has some left of them
//                                  calls neither next() nor usual()
//   void finish()                  optional: one thread calls it, once, when all workers have left
//                                  the loop
//   bool restart(loop_context)     optional: after that, instead of a construction in the same
//                                  place. If the loop is as the last one was: makes the object as
//                                  constructed, and returns true. A line that stays as it is, and
//                                  is not written, stays in the workers' caches
//   memory_bytes(workers)          optional, static: the size of the memory that it wants to find
//                                  again the next time
//   read_cuts(memory, ...), keep_cuts(memory, ...)
//                                  optional, static: where blocks are cut, by that memory; puts
//                                  other cuts into new memory, for good
//
//   - Every iteration in [0, N) is in exactly one of the chunks returned.
//   - An empty chunk is final for that worker: it does not call again. Iterations in transit are
//     never lost: the worker that was given a chunk runs it.
//   - Workers may arrive late or never. An empty chunk for the others does not change that: what a
//     missing worker would get stays its own unless the schedule moves work (see the registry's
//     properties).
//   - Trivially destructible: a loop needs no end.
//   - Per-worker shared state lives in worker_lines. The first worker to touch a line brings it up
//     to date (base/first_touch.hpp), so no worker initialises P of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arith.hpp"
#include "base/cache_line.hpp"
#include "base/first_touch.hpp"
#include "base/sync.hpp"
#include "schedule/description.hpp"

namespace doall::schedules {

struct loop_shape {
  u64 iterations = 0;         // N, 0 to 2^64 - 1
  std::uint32_t workers = 1;  // P, at least 1

  bool operator==(const loop_shape&) const = default;
};

// What the iterations cost, as running sums, in any unit: N + 1 of them, not
// decreasing, sums[i] the cost of all iterations below i, counted from sums[0].
// A CSR matrix's row pointer is one.
//
// The caller may also have summed them up by the lists of a cyclic assignment to the loop's P
// workers (costs_by_owner.hpp).
class cost_sums {
 public:
  cost_sums() = default;
  cost_sums(const u64* sums, u64 iterations) : sums_(sums), iterations_(iterations) {}

  bool given() const { return sums_ != nullptr; }
  // Null: they are not summed up by owner.
  const u64* by_owner() const { return by_owner_; }
  cost_sums with(const u64* by_owner) const {
    cost_sums other = *this;
    other.by_owner_ = by_owner;
    return other;
  }
  u64 total() const { return sums_ == nullptr ? 0 : sums_[iterations_] - sums_[0]; }
  // The cost of the first i iterations.
  u64 before(u64 i) const {
    return reversed_ ? sums_[iterations_] - sums_[iterations_ - i] : sums_[i] - sums_[0];
  }
  // Cuts the loop into `parts` of equal cost, and returns the begin of part number `part`: the
  // first iteration i with before(i) >= part total() / parts. The result does not decrease with
  // `part`, whatever the sums are: as long as two bisections look at the same iteration, the one
  // for the smaller cost never goes to the right of the other. O(log N).
  u64 cut(u64 part, u64 parts) const {
    if (part == 0) return 0;
    if (part == parts) return iterations_;
    const u64 wanted = base::ceil_mul_div(total(), part, parts);
    u64 low = 0;
    u64 high = iterations_;
    while (low < high) {
      const u64 middle = low + (high - low) / 2;
      if (before(middle) >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  // The same for the loop that begins with the last iteration.
  cost_sums reversed() const {
    cost_sums other = *this;
    other.reversed_ = !reversed_;
    return other;
  }

 private:
  const u64* sums_ = nullptr;
  const u64* by_owner_ = nullptr;
  u64 iterations_ = 0;
  bool reversed_ = false;
};

enum class origin : std::uint8_t {
  own,      // from the worker's own partition
  central,  // from a queue that all workers share
  stolen,   // from another worker's partition
};

struct chunk {
  u64 begin = 0;
  u64 end = 0;
  u64 step = 1;  // iterations begin, begin + step, ... below end
  origin from = origin::own;
  std::uint32_t victim = 0;  // whose partition it was, when stolen

  bool empty() const { return begin >= end; }
  // How many iterations it has.
  u64 size() const { return empty() ? 0 : (end - begin - 1) / step + 1; }
};

inline constexpr chunk nothing_left{};

// The calling worker. The driver keeps it: `turn` counts the worker's earlier calls of next() in
// this loop, so that schedules without shared state need none.
struct worker {
  std::uint32_t index = 0;  // 0 to P - 1
  u64 turn = 0;
};

// The time of the worker's last chunk, for schedules that adapt. Zero iterations: there was none,
// or it was not measured. The unit of time is the driver's.
struct feedback {
  u64 iterations = 0;
  double elapsed = 0;
};

// How a loop's source counts: iteration i is at first + i * increment, modulo 2^64; `last` is the
// source's bound.
struct numbering {
  u64 first = 0;
  u64 increment = 1;
  u64 last = 0;

  bool operator==(const numbering&) const = default;
};

// Equal chunks that a worker may take off its own run (stealable_run.hpp) by one addition each,
// without a look before: it knows where its run begins, for nobody else takes off the front, and
// that it is long enough unless thieves have cut it. Numbers are iterations as the schedule deals
// them; in a range_walk, the source's. A ticket is one iteration.
struct plan {
  sync::atomic<u64>* run = nullptr;
  u64 chunks = 0;
  u64 end = 0;      // of the run, unless thieves have cut it
  u64 tickets = 0;  // of a chunk
  u64 begin = 0;    // of the first chunk; in a range_walk, of the next one
  u64 size = 0;     // from its begin to its end
  u64 stride = 0;   // from its begin to that of the one behind it
};

// One worker's way through a loop, for doors that hand on ranges without a stride, in the source's
// own numbers. With chunks of one iteration every iteration costs a step of it: what a step needs
// lies here and not behind pointers, since a locked instruction lets no later load begin.
//
// Compilers copy a `lastprivate` variable out by looking at a worker's last range: the worker that
// runs the loop's last iteration must run nothing after it. A monotonic schedule ensures that by
// itself. Under another, the last iteration is cut off the chunk that holds it and kept until the
// worker has nothing else. Where a chunk is named, an iteration here is a cell of so many, and what
// is kept is whole (README, "What a dealt chunk promises").
// What was rejected: docs/investigations/2026-11-21-lastprivate.md.
struct range_walk {
  void* object = nullptr;  // the schedule
  worker me;
  numbering source;
  u64 iterations = 0;
  chunk rest{};  // of a chunk that goes piece by piece
  // Handles a chunk in `rest` that is not an ordinary one, or empty.
  bool (*otherwise)(range_walk& at, u64* first, u64* last) = nullptr;
  bool keep_last = false;  // the schedule is not monotonic
  bool kept_last = false;  // this worker has the last iteration still to run
  plan ahead{};
  // Before this turn the worker takes what is planned, by next_range() alone.
  u64 planned_turns = 0;

  u64 value_of(u64 iteration) const { return source.first + iteration * source.increment; }

  // Takes the next piece of `rest`; false when there is none.
  bool next_piece(u64* first, u64* last) {
    if (rest.empty()) return false;
    const u64 begin = rest.begin;
    u64 end = rest.step == 1 ? rest.end : begin + 1;
    rest.begin = base::add_up_to(begin, rest.step == 1 ? end - begin : rest.step, rest.end);
    if (end == iterations && keep_last) {
      kept_last = true;
      if (--end == begin) return false;
    }
    hand_on(begin, end, first, last);
    return true;
  }

  // Takes the last iteration, if it was kept. Called once nothing else is left.
  bool last_piece(u64* first, u64* last) {
    if (!kept_last) return false;
    kept_last = false;
    hand_on(iterations - 1, iterations, first, last);
    return true;
  }

 private:
  void hand_on(u64 begin, u64 end, u64* first, u64* last) const {
    *first = value_of(begin);
    // The last range ends at the source's own bound: one step beyond the last iteration need not
    // fit in the type.
    *last = end == iterations ? source.last : value_of(end);
  }
};

// Per-worker shared state. `touch` guards the words, whose meaning the schedule defines. `tagged`
// needs no guard: its high bits are the epoch of the loop that wrote it; its low tag_bits are the
// schedule's, and count as zero under another epoch.
struct alignas(base::apart_bytes) worker_line {
  static constexpr unsigned tag_bits = 8;

  base::first_touch touch;
  sync::atomic<u64> word[4];
  sync::atomic<u64> tagged;
};

struct loop_context {
  loop_shape shape;
  params given{};
  worker_line* lines = nullptr;  // P of them, zero when fresh, then as the last loop left them
  u64 epoch = 1;                 // unique and increasing within `lines`
  cost_sums costs{};             // of the iterations, if they were given
  // What the schedule left here when the loop last ran on that many workers: of memory_bytes,
  // aligned to apart_bytes, zero at first, this run's alone until it is finished. Null: there is
  // none. It may be stale (another number of iterations): that may cost speed, never an answer.
  void* memory = nullptr;
  // Iterations that take long enough for a piece to be dealt apart, by what is known of the loop's
  // site; 0: nothing is known.
  u64 worth = 0;
};

inline constexpr std::size_t object_bytes = 2 * base::apart_bytes;

// What a schedule's memory says of where blocks are cut.
enum class block_cuts {
  unknown,  // nothing was measured
  even,     // at even partitions, which are balanced
  uneven,   // elsewhere
};

// Iterations, tickets or entries of a list, [begin, end).
struct range {
  u64 begin;
  u64 end;
  u64 size() const { return end - begin; }
};

// The even partitions. Every schedule that gives each worker one uses these, so that an iteration
// has the same home under all of them (AFS, Figure 1): worker w's partition is [ceil(w N / P),
// ceil((w + 1) N / P)).
inline range partition_of(std::uint32_t w, const loop_shape& shape) {
  return {base::ceil_mul_div(shape.iterations, w, shape.workers),
          base::ceil_mul_div(shape.iterations, u64{w} + 1, shape.workers)};
}

}  // namespace doall::schedules
