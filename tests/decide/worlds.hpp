// Worlds: programs that run loops of one site, in virtual time. What a loop takes alone and shared
// is given, and so is what it would have taken by the best decision in hindsight. The policy that
// decides is a parameter: the shipped one (shipped_policy.hpp), or a rival (rivals.hpp).
//
// A loop's iterations cost the same, or the first part of them costs next to nothing. Shared, a
// loop takes the burden and its work divided by a speedup, which may be below 1: a lock, memory, a
// line that all write. Noise: a run's time is multiplied by a random factor, and now and then a
// thread is preempted for milliseconds. Both hit the best decision's run, too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/rng.hpp"

namespace doall::tests {

inline double real(base::rng& random) { return static_cast<double>(random.next() >> 11) * 0x1p-53; }
// Each power of two as often as each other one.
inline double spread(base::rng& random, double least, double most) {
  return least * std::pow(most / least, real(random));
}

// One kind of loop of the site.
struct kind {
  std::uint64_t indices;
  double index_ns;    // of a dear one
  double cheap_part;  // the first part of the iterations costs cheap_ns each
  double speedup;     // of its work, when it is shared

  static constexpr double cheap_ns = 2;

  // What the first n iterations take.
  double work_ns(double n) const {
    const double cheap = std::floor(cheap_part * static_cast<double>(indices));
    return std::min(n, cheap) * cheap_ns + std::max(n - cheap, 0.0) * index_ns;
  }
  double work_ns() const { return work_ns(static_cast<double>(indices)); }
  // Shared from iteration n on.
  double shared_ns(double burden_ns, double n = 0) const {
    const double rest = work_ns() - work_ns(n);
    return burden_ns + std::max(rest / speedup, index_ns);
  }
};

// A run of a loop: its kind and what disturbs it.
struct call {
  const kind* of;
  double factor;        // its time, times
  double preempted_ns;  // more, wherever it runs
};

enum class order { in_turn, at_random, in_phases };

struct world {
  std::uint32_t workers;
  double burden_ns;
  std::vector<kind> kinds;
  std::vector<kind> later;  // in phases: what the kinds become
  order how;
  std::vector<double> weights;  // at random: up to which number of [0, 1) a kind comes
  std::uint32_t repeats;        // in turn: of each kind so many
  std::uint32_t calls;
  std::uint32_t phase;  // calls
  double noise;         // the most by which a factor exceeds 1
  double preempts;      // a thread, in so many ns

  const std::vector<kind>& kinds_at(std::uint32_t i) const {
    return how == order::in_phases && i / phase % 2 == 1 ? later : kinds;
  }
  call next(std::uint32_t i, base::rng& random) const {
    const std::vector<kind>& now = kinds_at(i);
    std::size_t which = i / repeats % now.size();
    if (how != order::in_turn) {
      const double at = real(random);
      which = 0;
      while (which + 1 < now.size() && at >= weights[which]) ++which;
    }
    call c{&now[which], 1 + noise * real(random), 0};
    const double ns = std::min(c.of->work_ns(), c.of->shared_ns(burden_ns));
    if (real(random) < ns / preempts) c.preempted_ns = spread(random, 5e4, 4e6);
    return c;
  }
  double alone_ns(const call& c) const { return c.of->work_ns() * c.factor + c.preempted_ns; }
  double shared_ns(const call& c) const {
    return c.of->shared_ns(burden_ns) * c.factor + c.preempted_ns;
  }
  double best_ns(const call& c) const { return std::min(alone_ns(c), shared_ns(c)); }
};

inline kind any_kind(base::rng& random, std::uint32_t workers) {
  const auto p = static_cast<double>(workers);
  kind k{};
  const double work_ns = spread(random, 100, 5e7);
  k.indices = static_cast<std::uint64_t>(spread(random, 2, 1e5));
  k.cheap_part = random.below(4) == 0 ? real(random) * 0.9 : 0;
  k.index_ns = std::max(work_ns / (static_cast<double>(k.indices) * (1 - k.cheap_part)), 1.0);
  switch (random.below(4)) {
    case 0: k.speedup = spread(random, 0.25, 1); break;  // a lock, a line that all write
    case 1: k.speedup = spread(random, 1, p); break;     // memory
    default: k.speedup = p; break;
  }
  return k;
}

inline world any_world(base::rng& random) {
  world w{};
  w.workers = static_cast<std::uint32_t>(spread(random, 2, 257));
  w.burden_ns = spread(random, 1'000, 4'000) * (1 + 0.25 * std::log2(w.workers));
  w.how = static_cast<order>(random.below(3));
  const std::uint64_t many = 1 + random.below(random.below(3) == 0 ? 8 : 3);
  const bool is_wrapper = random.below(4) == 0;
  double sum = 0;
  const double speedup = any_kind(random, w.workers).speedup;
  const std::uint64_t indices = any_kind(random, w.workers).indices;
  const bool contends_alike = random.below(4) != 0;
  for (std::uint64_t i = 0; i < many; ++i) {
    w.kinds.push_back(any_kind(random, w.workers));
    w.later.push_back(any_kind(random, w.workers));
    if (contends_alike) w.kinds.back().speedup = w.later.back().speedup = speedup;
    if (is_wrapper) {  // one length for all, whatever they do
      const double work_ns = w.kinds.back().work_ns();
      w.kinds.back().indices = indices;
      w.kinds.back().cheap_part = 0;
      w.kinds.back().index_ns = std::max(work_ns / static_cast<double>(indices), 1.0);
    }
    w.weights.push_back(spread(random, 0.02, 1));
    sum += w.weights.back();
  }
  double at = 0;
  for (double& weight : w.weights) weight = at += weight / sum;
  w.repeats = static_cast<std::uint32_t>(spread(random, 1, 8));
  w.calls = static_cast<std::uint32_t>(spread(random, 300, 6'000));
  w.phase = static_cast<std::uint32_t>(spread(random, 50, 2'000));
  w.noise = random.below(2) == 0 ? 0.05 : 0.3;
  w.preempts = spread(random, 1e6, 1e9);
  return w;
}

// What a policy lost: its time over that of the best decision in hindsight. A decision is made for
// a length, in a phase, for that is all that it can know before the run.
struct regret {
  double by_length;
  double clairvoyant;  // the better way of each run
};

// Runs the world by a policy, which has run(world, call), the time that a call took.
template <class Policy>
regret regret_of(const world& w, Policy& policy, base::rng& random) {
  struct both {
    double alone_ns = 0, shared_ns = 0;
  };
  std::map<std::pair<bool, std::uint64_t>, both> ways;
  double took_ns = 0;
  double best_ns = 0;
  for (std::uint32_t i = 0; i < w.calls; ++i) {
    const call c = w.next(i, random);
    took_ns += policy.run(w, c);
    best_ns += w.best_ns(c);
    both& of = ways[{&w.kinds_at(i) == &w.later, c.of->indices}];
    of.alone_ns += w.alone_ns(c);
    of.shared_ns += w.shared_ns(c);
  }
  double decided_ns = 0;
  for (const auto& [length, of] : ways) decided_ns += std::min(of.alone_ns, of.shared_ns);
  return {took_ns / decided_ns, took_ns / best_ns};
}

}  // namespace doall::tests
