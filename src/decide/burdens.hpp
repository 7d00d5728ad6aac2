// What sharing costs: the burden d of README.md, for each team size.
//
// It is the time of an empty loop or region, of a few the least, measured again when it is old, for
// a virtual machine's cores come and go. A measurement counts only if all workers that were asked
// for took part. While the pool is leased or workers do not come, and on a worker, nothing is
// measured: the burden keeps its value, at first unmeasured_burden_ns. The next try is 0.2 ms
// later, then 0.4 ms, ..., at most burden_lasts_ns. A measurement that was made lasts 200 times as
// long as it took, too: beside programs that compute a team may come after milliseconds.
//
// Workers that sleep must be woken first, which costs more than most loops. That is the ski rental
// problem: rent (run alone) until what sharing would have saved adds up to the price of waking,
// then buy. So the loss is at most twice that of the best decision in hindsight.
//
// State: estimates, relaxed. Callers: any thread. Cost: a clock read, where a loop may gain.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/sync.hpp"

namespace doall::decide {

// The most workers of a team.
inline constexpr std::uint32_t most_in_team = 1024;

// The timing of an empty loop or region.
struct empty_run {
  enum class by : std::uint8_t {
    all_workers,   // each worker ran its own part
    late_workers,  // some had not come; they may come in another try
    another_team   // a smaller team: the pool is not available here
  };
  by ran;
  double ns;
};

// One object for each way of sharing.
class burdens {
 public:
  using measure = empty_run (*)(std::uint32_t workers);

  // Calls `run_empty` a few times when the last measurement for a team size is old; this may start
  // threads. `idle_spin_ns`: how long an idle worker spins before it sleeps.
  constexpr burdens(measure run_empty, std::uint64_t (*idle_spin_ns)())
      : run_empty_(run_empty), idle_spin_ns_(idle_spin_ns) {}

  // What is known now, and measured if it is old; the same, as it is.
  double measured_ns(std::uint32_t workers);
  double known_ns(std::uint32_t workers);

  // Whether the workers are awake, or a loop that gains so much by them pays for waking them.
  // Called for each loop that is to be shared.
  bool wakes(double gain_ns);

 private:
  struct burden {
    sync::atomic<std::uint64_t> until_ns{0};  // when to measure it again
    sync::atomic<double> ns{0};               // 0: never measured
    sync::atomic<std::uint32_t> failures{0};  // since the last measurement
  };

  burden& burden_for(std::uint32_t workers) { return burdens_[std::min(workers, most_in_team)]; }
  void measure_again(burden& of, std::uint32_t workers, std::uint64_t now_ns);

  measure run_empty_;
  std::uint64_t (*idle_spin_ns_)();
  std::array<burden, most_in_team + 1> burdens_{};
};

}  // namespace doall::decide
