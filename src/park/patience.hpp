// How long a waiter may spin before it sleeps, learnt from its own waits.
//
// A ski-rental problem. Spinning is rent: a nanosecond of CPU time for each of
// waiting. Sleeping is buying: it has a price, paid once, in system calls on both
// sides and in a loop that starts late for the whole team. The price is not known
// and not one number, so the user's bound stands for it: who lets a thread spin
// for B at most says that being awake in time is worth B to him.
//
// Of a wait of g nanoseconds
//   who knows g pays          min(g, B);
//   who spins for t pays      g if g <= t, else t + B.
// Spinning for t = B pays at most twice min(g, B), and no rule that knows nothing
// can promise less [Karlin et al. 1988]. For gaps drawn from a known distribution
// the best t pays at most e/(e-1) = 1.58 times [Karlin et al. 1994]. So the answer
// here is the t that would have paid least for the last 16 gaps, with B among the
// candidates: never more than twice what they had to cost, and what is best for
// them up to a factor of two in t. When two pay the same, the longer one: as long
// as no wait has lasted longer than B, it is B.
// A program that changes its habits is misjudged for 16 waits at most, and a
// misjudged wait costs at most 2 B. And as t <= B, no thread spins for longer
// than B after the last loop.
//
// A preempted spin breaks the premise that spinning costs this thread's time
// alone: see stand_off.
//
// Plain values of the one thread that waits. Cost: 5 ns a wait, and 300 ns to think
// again after one that ended asleep.
//
// [Karlin et al. 1988] Competitive snoopy caching. Algorithmica 3.
// [Karlin et al. 1994] Competitive randomized algorithms for nonuniform problems.
//   Algorithmica 11. Their trial with locks: Empirical studies of competitive
//   spinning for a shared-memory multiprocessor, SOSP 1991.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "park/gate.hpp"

namespace doall::park {

// For a while after it was preempted a waiter does not spin: another thread wants
// the core, and the spin is taken off the share with which the work could run.
//
// For how long: to spin too early costs a time slice of the other's, 3 ms or so, and to
// sleep in vain some 10 us a loop. 1 ms outlasts an interrupt or a thread that had
// something short to do, and is no great loss in a quiet program; each preemption that
// follows within 20 ms of the last doubles it, up to 320 ms, so that beside a thread that
// stays probing takes a hundredth of the time.
class stand_off {
 public:
  static constexpr std::uint64_t shortest_ns = 1'000'000;
  static constexpr std::uint64_t longest_ns = 320'000'000;
  static constexpr std::uint64_t follows_ns = 20'000'000;

  // The clock is read only by who was preempted lately. It is a parameter for
  // tests in virtual time.
  template <class Clock>
  bool holds(Clock now_ns) {
    holds_ = holds_ && now_ns() < until_ns_;
    return holds_;
  }

  template <class Clock>
  void learn(const waited& last, Clock now_ns) {
    if (!last.preempted) return;
    const std::uint64_t now = now_ns();
    const bool soon = length_ns_ != 0 && now < until_ns_ + std::max(length_ns_, follows_ns);
    length_ns_ = soon ? std::min(2 * length_ns_, longest_ns) : shortest_ns;
    until_ns_ = now + length_ns_;
    holds_ = true;
  }

 private:
  bool holds_ = false;
  std::uint64_t until_ns_ = 0;
  std::uint64_t length_ns_ = 0;
};

class patience {
 public:
  // A wait at a gate from which it learns.
  template <class Ready, class... Bed>
  void wait(gate& at, Ready ready, std::uint64_t bound_ns, const Bed&... bed) {
    learn(at.wait(ready, spin_ns(bound_ns), bed...));
  }

  // How long the next wait may spin, 0 to bound_ns. A bound of 0 stays 0.
  template <class Clock = std::uint64_t (*)()>
  std::uint64_t spin_ns(std::uint64_t bound_ns, Clock now_ns = base::now_ns) {
    if (bound_ns != bound_ns_) {
      bound_ns_ = bound_ns;
      reconsider_ = true;
    }
    if (stand_off_.holds(now_ns)) return 0;
    if (waits_since_long_ >= remembered || bound_ns == 0) return bound_ns;
    if (reconsider_) cheapest_ns_ = cheapest();
    reconsider_ = false;
    return cheapest_ns_;
  }

  // How that wait went.
  template <class Clock = std::uint64_t (*)()>
  void learn(const waited& last, Clock now_ns = base::now_ns) {
    // A wait that was over at once needed no spinning at all, any other needed some.
    const std::uint64_t gap_ns =
        last.end == wait_end::at_once ? 0 : std::max(last.ns, std::uint64_t{1});
    gaps_ns_[next_++ % remembered] = gap_ns;
    known_ = std::min(known_ + 1, remembered);
    waits_since_long_ = gap_ns > bound_ns_ ? 0 : std::min(waits_since_long_ + 1, remembered);
    // As long as spinning does it nothing speaks for spinning less.
    reconsider_ = reconsider_ || last.end == wait_end::asleep;
    stand_off_.learn(last, now_ns);
  }

 private:
  static constexpr std::size_t remembered = 16;
  static constexpr std::uint64_t round_ns = 10'000;  // the least that a spin is good for

  // What the remembered gaps would have cost.
  std::uint64_t price(std::uint64_t spin_ns) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < known_; ++i) {
      sum += gaps_ns_[i] <= spin_ns ? gaps_ns_[i] : spin_ns + bound_ns_;
    }
    return sum;
  }

  // Candidates: not at all, twice each gap (the next one like it may be longer), B.
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
  std::size_t waits_since_long_ = remembered;  // longer than the bound of then
  std::uint64_t bound_ns_ = 0;                 // of the wait that is going on
  std::uint64_t cheapest_ns_ = 0;              // as last considered
  bool reconsider_ = true;
  stand_off stand_off_;
};

}  // namespace doall::park
