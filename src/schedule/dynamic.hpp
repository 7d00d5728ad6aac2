// dynamic: idle workers take the next c iterations from a common counter.
//
// Papers: self-scheduling (c = 1) and uniform-sized chunking (c > 1), both as AFS section 1
// describes them.
//
// The counter deals tickets, one for each chunk, and not iterations: ticket t is the chunk
// [t c, t c + c). A worker overdraws at most once, since empty is final, so the counter never
// passes ceil(N / c) + P. This cannot wrap if N is near 2^64 and c = 1, because no program makes
// 2^64 draws.
//
// State: the counter. Each ticket is drawn once (one read-modify-write), so chunks are disjoint and
// cover [0, N). Tickets drawn by one worker increase.
// Cost: one fetch_add for each chunk, on a line that all workers share.
// Why a counter: docs/investigations/2026-11-28-rising-numbers.md.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class dynamic {
 public:
  struct options {
    u64 chunk = 0;
    u64 monotonic = 0;  // what a door may put in its place (gains_from_any_order); not read here
  };

  static constexpr few<parameter, most_options> chunk_alone = {
      {.key = "chunk",
       .positional = true,
       .meaning = "iterations a chunk; default 1",
       .iterations = true}};

  static constexpr description about = {
      .name = "dynamic",
      .aliases = {"ss", "self-scheduling"},
      .paper = "AFS",
      .summary = "idle workers take the next chunk from a common counter",
      .parameters = chunk_alone.with(
          {.key = "monotonic",
           .meaning =
               "chunks in increasing order for each worker, from the common counter whatever "
               "they cost; default: a native loop that names dynamic, with 32 chunks a worker "
               "or more, gets the same chunks by static-steal",
           .words = {"no", "yes"},
           .default_word = "no",
           .alone = true}),
      .properties = schedules::monotonic,
  };

  explicit dynamic(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max<u64>(loop.given.as<options>().chunk, 1)),
        whole_(iterations_ / size_) {}

  bool restart(const loop_context& loop) {
    if (loop.shape.iterations != iterations_) return false;
    if (std::max<u64>(loop.given.as<options>().chunk, 1) != size_) return false;
    // (2) relaxed; alone: the loop's opening publishes it
    drawn_.store(0, sync::relaxed);
    return true;
  }

  chunk next(worker, feedback) {
    // (1) relaxed; alone: the ticket itself is all that is communicated
    const u64 ticket = drawn_.fetch_add(1, sync::relaxed);
    const u64 begin = ticket * size_;
    if (ticket < whole_) [[likely]]
      return {begin, begin + size_, 1, origin::central};
    // The chunk after the whole ones has the rest, perhaps nothing.
    if (ticket > whole_) return nothing_left;
    return {begin, iterations_, 1, origin::central};
  }

 private:
  u64 iterations_;
  u64 size_;
  u64 whole_;  // chunks of size_ iterations; the last one may be shorter
  alignas(base::line_bytes) sync::atomic<u64> drawn_{0};
};

}  // namespace doall::schedules
