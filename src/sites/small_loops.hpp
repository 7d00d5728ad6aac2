// How long an iteration of a loop takes, as its site knows it: for the pieces in which it is run,
// and for choices that are frozen. What others get is decided from other times
// (src/decide/README.md).
//
// The first three runs are timed, then one in runs_a_timing, and the run after a timing that is out
// of all proportion. What counts is the median of the last three timings, or the lesser of two. So
// the next two outvote a timing of a thread that was preempted or found its pages missing, and one
// that came out too small.
//
// Frozen choices. A frozen site's choice is made from what an iteration costs and from the burden
// that it was last compared with. Both stay, so the choice is a function of the number of
// iterations and workers alone, and the site is not timed any more. A site freezes when it has its
// three timings, if `auto,frozen` asks for it, or has them from another process's file
// (choices.hpp).
//
// State: words that any thread writes, relaxed. A word of one run beside a word of another
// misjudges a loop once; no answer depends on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/sync.hpp"
#include "settings/settings.hpp"

namespace doall::team {

// How long some of a loop's iterations took, on one thread.
struct stopwatch {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

// What an iteration of one loop of the source costs.
class loop_cost {
 public:
  // Counts this run, and returns whether to time it. Never when it is frozen.
  bool timing_due();
  // Takes in a timing, unless it is frozen.
  void learn(std::uint64_t iterations, std::uint64_t elapsed_ns);
  void learn(const stopwatch& seen) { learn(seen.iterations, seen.elapsed_ns); }

  // Whether its iterations met other loops; whether they met loops of the same site.
  bool nests() const { return shape() != 0; }
  bool recurses() const { return shape() == 2; }
  void note_nests() { note(1); }
  void note_recurses() { note(2); }

  bool known() const { return iteration_ns() > 0; }

  // What the last choice compared it with; 0: there was none.
  double burden_ns() const {
    // (25) relaxed; alone: an estimate
    return burden_ns_.load(sync::relaxed);
  }
  void note_burden(double ns) {
    // (26) relaxed; alone: as (25)
    burden_ns_.store(static_cast<float>(ns), sync::relaxed);
  }

  // Whether its choice stays as it is, and who made it.
  bool is_frozen() const { return standing_now() >= standing::frozen; }
  bool is_loaded() const { return standing_now() == standing::loaded; }

  // Keeps the choice that this burden makes. A thread that is in learn() may still
  // move it by its timing.
  void freeze(double burden_ns) {
    note_burden(burden_ns);
    stand(standing::frozen);
  }
  // Takes the choice that another process has made.
  void load(double iteration_ns, double burden_ns, std::uint8_t shape);
  // What it has seen inside its iterations, for another process: 0 nothing, 1 loops, 2 itself.
  std::uint8_t shape() const {
    // (22) relaxed; alone: it only rises
    return shape_.load(sync::relaxed);
  }

  // Whether it has as many timings as it keeps; if not, the next run should be timed.
  bool settled() const { return timings() >= seen_most; }

  double serial_ns(std::uint64_t iterations) const {
    return iteration_ns() * static_cast<double>(iterations);
  }

  // How many iterations take that long, at least 1; not known: 1.
  std::uint64_t iterations_in(double ns) const {
    constexpr double most = 1e18;
    return known() ? static_cast<std::uint64_t>(std::min(ns / iteration_ns(), most)) + 1 : 1;
  }

  std::uint32_t timings() const {
    // (1) relaxed; alone: an estimate
    return timings_.load(sync::relaxed);
  }

 private:
  static constexpr std::uint32_t seen_most = 3;

  double iteration_ns() const {
    // (2) relaxed; alone: an estimate
    return iteration_ns_.load(sync::relaxed);
  }
  double seen_ns(std::uint32_t timing) const {
    // (3) relaxed; alone: an estimate
    return seen_ns_[timing % seen_most].load(sync::relaxed);
  }
  double usual_of_last(std::uint32_t timings) const;
  void time_next();
  void note(std::uint8_t seen) {
    // (23) relaxed; alone: as (22)
    if (shape() < seen) shape_.store(seen, sync::relaxed);
  }

  enum class standing : std::uint8_t {
    trusted,
    doubted,  // the last timing is
    frozen,   // from here on nothing is learnt
    loaded
  };
  standing standing_now() const {
    // (27) relaxed; alone: a late look learns once more
    return standing_.load(sync::relaxed);
  }
  void stand(standing now) {
    // (28) relaxed; alone: as (27)
    standing_.store(now, sync::relaxed);
  }
  // Does not thaw what another thread has frozen meanwhile.
  void doubt(bool doubts) {
    standing was = doubts ? standing::trusted : standing::doubted;
    const standing now = doubts ? standing::doubted : standing::trusted;
    // (30) relaxed; alone: as (27)
    standing_.compare_exchange_strong(was, now, sync::relaxed, sync::relaxed);
  }

  sync::atomic<float> iteration_ns_{0};  // 0: not known
  std::array<sync::atomic<float>, seen_most> seen_ns_{};
  sync::atomic<float> burden_ns_{0};
  sync::atomic<std::uint32_t> timings_{0};
  sync::atomic<std::uint8_t> runs_to_timing_{0};
  sync::atomic<standing> standing_{standing::trusted};
  sync::atomic<std::uint8_t> shape_{0};  // 1: it nests; 2: it recurses
};

}  // namespace doall::team
