// Adaptive spinning: how long a waiter may spin before it sleeps, learnt from its own waits.
//
// A ski-rental problem. Spinning is rent: a nanosecond of CPU time for each nanosecond of waiting.
// Sleeping is buying: it has a price, paid once, in system calls on both sides and in a loop that
// starts late for the whole team. The price is unknown and not one number, so the user's bound
// stands for it: a user who lets a thread spin for at most B says that being awake in time is
// worth B.
//
// For a wait of g nanoseconds
//   a waiter that knows g pays       min(g, B);
//   a waiter that spins for t pays   g if g <= t, else t + B.
// Spinning for t = B pays at most twice min(g, B), and no rule that knows nothing can promise less
// [Karlin et al. 1988]. For gaps drawn from a known distribution the best t pays at most
// e/(e-1) = 1.58 times that [Karlin et al. 1994]. So the answer here is the t that would have paid
// least for the last 16 gaps, with B among the candidates. It never pays more than twice what they
// had to cost, and is best for them up to a factor of two in t. When two pay the same, the longer
// one: as long as no wait has lasted longer than B, it is B.
// A program that changes its habits is misjudged for at most 16 waits, and a misjudged wait costs
// at most 2 B. As t <= B, no thread spins for longer than B after the last loop.
//
// A preempted spin breaks the premise that spinning costs this thread's time alone: beside other
// programs no wait spins, whatever is said here (contention.hpp).
//
// Plain values of the one thread that waits. Cost: 5 ns for a wait, and 300 ns to reconsider after
// one that ended asleep.
//
// [Karlin et al. 1988] Competitive snoopy caching. Algorithmica 3.
// [Karlin et al. 1994] Competitive randomized algorithms for nonuniform problems.
//   Algorithmica 11. Their trial with locks: Empirical studies of competitive
//   spinning for a shared-memory multiprocessor, SOSP 1991.
// What it gains for its lines: docs/investigations/2026-11-24-mechanisms-weighed.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "park/gate.hpp"

namespace doall::park {

class patience {
 public:
  // Waits at a gate, and learns from the wait.
  template <class Ready, class... Bed>
  void wait(gate& at, Ready ready, spin_bound bound, const Bed&... bed) {
    learn(at.wait(ready, bound.at_most(spin_ns(bound.ns())), bed...));
  }

  // How long the next wait may spin, 0 to bound_ns. A bound of 0 stays 0.
  std::uint64_t spin_ns(std::uint64_t bound_ns) {
    if (bound_ns != bound_ns_) {
      bound_ns_ = bound_ns;
      reconsider_ = true;
    }
    if (waits_since_long_ >= remembered || bound_ns == 0) return bound_ns;
    if (reconsider_) cheapest_ns_ = cheapest();
    reconsider_ = false;
    return cheapest_ns_;
  }

  // Learns from a wait.
  void learn(const waited& last) {
    // A wait that was over immediately needed no spinning at all, any other needed some.
    const std::uint64_t gap_ns =
        last.end == wait_end::at_once ? 0 : std::max(last.ns, std::uint64_t{1});
    gaps_ns_[next_++ % remembered] = gap_ns;
    known_ = std::min(known_ + 1, remembered);
    waits_since_long_ = gap_ns > bound_ns_ ? 0 : std::min(waits_since_long_ + 1, remembered);
    // While spinning suffices there is no reason to spin less.
    reconsider_ = reconsider_ || last.end == wait_end::asleep;
  }

 private:
  static constexpr std::size_t remembered = 16;
  static constexpr std::uint64_t round_ns = 10'000;  // a shorter spin is of no use

  // What the remembered gaps would have cost with that spin.
  std::uint64_t price(std::uint64_t spin_ns) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < known_; ++i) {
      sum += gaps_ns_[i] <= spin_ns ? gaps_ns_[i] : spin_ns + bound_ns_;
    }
    return sum;
  }

  // Candidates: 0, twice each gap (the next one like it may be longer), B.
  std::uint64_t cheapest() const {
    std::uint64_t best = 0;
    std::uint64_t best_price = price(0);
    const auto consider = [&](std::uint64_t spin_ns) {
      const std::uint64_t its_price = price(spin_ns);
      if (its_price < best_price || (its_price == best_price && spin_ns > best)) {
        best = spin_ns;
        best_price = its_price;
      }
    };
    for (std::size_t i = 0; i < known_; ++i) {
      if (gaps_ns_[i] >= bound_ns_) continue;
      consider(std::min(std::max(2 * gaps_ns_[i], round_ns), bound_ns_));
    }
    consider(bound_ns_);
    return best;
  }

  std::array<std::uint64_t, remembered> gaps_ns_{};
  std::size_t next_ = 0;
  std::size_t known_ = 0;
  std::size_t waits_since_long_ = remembered;  // since one longer than its bound
  std::uint64_t bound_ns_ = 0;                 // of the current wait
  std::uint64_t cheapest_ns_ = 0;              // as last considered
  bool reconsider_ = true;
};

}  // namespace doall::park
