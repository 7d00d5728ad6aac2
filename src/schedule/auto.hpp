// auto: every worker runs its own partition first, the same one each time, in pieces that become
// smaller as less is left; a worker that has none left steals half of what another has. The default
// of native loops that are worth balancing, and OpenMP's schedule(auto).
//
// Paper: none; OpenMP leaves the choice to the runtime. It is composed of what the papers'
// schedules are good at: static's partitions, so that data stays (AFS, hybrid); pieces that shrink
// with what is left, so that they are few and none holds the others up at the end (guided
// self-scheduling, AFS's 1/k of the own queue); and halves for thieves (LBS, COWS's WSRI), which
// are found in O(log N) thefts wherever the work lies. Where it differs from affinity: a thief
// takes half, not 1/P, and puts it in its own run, where it can be stolen from in its turn; and an
// owner takes a sixteenth, not 1/P. With two workers affinity's first piece is half of a share, and
// a loop whose cost lies there is run by one worker.
//
// A piece is
//   - a sixteenth of what the run still holds: what is in hand, and cannot be stolen, is little
//     beside what can;
//   - but no more than twice what its worker had before, beginning with the least. So a loop whose
//     first iterations cost the most is not half in hand before anybody has come to steal; the
//     price is a few pieces a worker;
//   - but no less than `least` iterations: as many as take 400 ns, beside which taking them, some
//     10 ns, is little; at most a sixteenth of an even partition. The native door knows how many
//     (loop_context::worth). If nobody does, a 128th of an even partition, so that pieces are few
//     whatever iterations cost; if they cost the same, the last piece of a worker makes the others
//     wait for less than one percent of the loop's time.
//
// The victim is the fullest of the next 64 workers, or the first beyond that has something: half of
// the most is most often enough, and a look at all of a large machine costs more than it finds.
//
// Partitions are even, and stay so. Cut by what earlier runs took they would save thefts; but where
// time is memory's it depends on who ran what the last time, and so on machines of several sockets
// loops took up to 3.3 times as long, and few 0.95 (docs/investigations: cuts from measured times).
//
// State for each worker: a run of tickets (stolen_runs.hpp: exactly once, balance, termination). A
// ticket is an iteration; or several, in loops of more than tickets_most.
// Cost: a piece: a compare-and-swap on a line that only thieves share, O(16 log(N / P least))
// pieces a run. A theft: stolen_runs.hpp.
#pragma once

#include <algorithm>

#include "schedule/frozen.hpp"
#include "schedule/schedule.hpp"
#include "schedule/stolen_runs.hpp"

namespace doall::schedules {

class automatic {
 public:
  struct options {
    u64 frozen = 0;  // of enum once_made: how the loop is run stays (sites/small_loops.hpp)
  };
  static constexpr description about = {
      .name = "auto",
      .paper = "OpenMP",
      .summary = "own partition first, in shrinking pieces; then half of what another has left",
      .parameters = {frozen_option},
      .properties = keeps_affinity,
  };

  explicit automatic(const loop_context& loop)
      : iterations_(loop.shape.iterations),
        size_(std::max<u64>(1, base::ceil_div(iterations_, stealable_run::tickets_most))),
        runs_(loop),
        tickets_(static_cast<std::uint32_t>(base::ceil_div(iterations_, size_))),
        workers_(loop.shape.workers),
        least_(least_of(loop)) {}

  chunk next(worker w, feedback) {
    const auto first_part = [this](std::uint32_t of) { return partition_of(of, tickets()); };
    if (!runs_.arrive(w.index, first_part, thefts_)) return nothing_left;
    const auto piece = [this, turn = w.turn](range left) { return piece_of(left, turn); };
    const range own = runs_.of(w.index).take_some(piece);
    if (own.size() != 0) [[likely]]
      return chunk_of(own);
    const stolen_tickets found = runs_.steal(w.index, looks, first_part, piece, thefts_);
    if (found.tickets.size() == 0) return nothing_left;
    chunk stolen = chunk_of(found.tickets);
    stolen.from = origin::stolen;
    stolen.victim = found.victim;
    return stolen;
  }

 private:
  static constexpr std::uint32_t looks = 64;
  static constexpr u64 part_in_hand = 16;
  static constexpr u64 least_of_partition = 128;

  // The loop's shape in tickets.
  loop_shape tickets() const { return {tickets_, workers_}; }

  std::uint32_t least_of(const loop_context& loop) const {
    const u64 partition = tickets_ / workers_;
    const u64 least = loop.worth == 0 ? partition / least_of_partition
                                      : std::min(loop.worth / size_, partition / part_in_hand);
    return static_cast<std::uint32_t>(std::max<u64>(1, least));
  }

  u64 piece_of(range left, u64 turn) const {
    constexpr u64 doublings_most = 32;  // of fewer than 2^32 tickets
    const u64 grown = u64{least_} << std::min(turn, doublings_most);
    const u64 part = base::ceil_div(left.size(), part_in_hand);
    return std::min(left.size(), std::max<u64>(least_, std::min(part, grown)));
  }

  chunk chunk_of(range tickets) const {
    const bool last = tickets.end == tickets_;
    return {tickets.begin * size_, last ? iterations_ : tickets.end * size_};
  }

  // What each worker reads when it begins, in one line.
  u64 iterations_;
  u64 size_;  // iterations of a ticket; the last one may be shorter
  stolen_runs runs_;
  std::uint32_t tickets_;
  std::uint32_t workers_;
  std::uint32_t least_;  // tickets of a piece
  thefts thefts_;
};

}  // namespace doall::schedules
