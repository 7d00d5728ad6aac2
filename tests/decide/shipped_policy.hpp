// The shipped decision in a world, by decide() and site_times: runs alone in pieces, as the native
// door does it, and regions, which cannot be recalled.
#pragma once

#include <algorithm>
#include <utility>

#include "decide/constants.hpp"
#include "decide/decide.hpp"
#include "decide/site_times.hpp"
#include "worlds.hpp"

namespace doall::tests {

class shipped_policy {
 public:
  double run(const world& w, const call& c) {
    const kind& k = *c.of;
    decide::recall until;
    // As a site's cost is (sites/small_loops.hpp).
    const bool is_timed = runs_++ < 3 || random_.below(decide::runs_a_timing) == 0;
    const bool is_usual = !is_timed && site.is_usual(k.indices, until);
    last = {.indices = k.indices, .began_alone = true, .elapsed_ns = 0, .burden_ns = w.burden_ns};
    if (is_usual) {
      last.by = {.how = decide::way::alone, .alone = until};
    } else {
      last.by =
          decide::decide({k.indices, w.workers, w.burden_ns, random_.next()}, site.view(k.indices));
    }
    last.began_alone = last.by.how == decide::way::alone;
    last.elapsed_ns = last.began_alone ? run_alone(w, c) : w.shared_ns(c);
    const bool is_short =
        last.began_alone && last.ran_alone == 0 && last.elapsed_ns < decide::always_learnt_ns;
    if (is_short && !is_timed && !last.by.explores) return last.elapsed_ns;
    site.learn(last, decide::runs_stood_for(last));
    return last.elapsed_ns;
  }

  decide::site_times site;
  decide::outcome last{};

 private:
  double run_alone(const world& w, const call& c) {
    const kind& k = *c.of;
    std::uint64_t piece = 1;
    double elapsed_ns = 0;
    double index_ns = decide::progress::no_piece;
    double left_ns = c.preempted_ns;
    const std::uint64_t preempted = random_.below(4);  // in this piece, or in the last
    std::uint64_t pieces = 0;
    for (std::uint64_t ran = 0;;) {
      const std::uint64_t n = std::min(piece, k.indices - ran);
      double piece_ns =
          (k.work_ns(static_cast<double>(ran + n)) - k.work_ns(static_cast<double>(ran))) *
          c.factor;
      if (pieces++ == preempted || ran + n == k.indices) {
        piece_ns += std::exchange(left_ns, 0);
      }
      ran += n;
      elapsed_ns += piece_ns;
      if (ran == k.indices) return elapsed_ns;
      elapsed_ns += decide::look_price_ns;
      const decide::progress now{k.indices, ran, elapsed_ns, n, piece_ns, index_ns};
      if (last.by.alone.is_due(now)) {
        last.ran_alone = ran;
        last.alone_ns = elapsed_ns;
        last.last_ns = now.index_ns();
        return elapsed_ns + left_ns + k.shared_ns(w.burden_ns, static_cast<double>(ran)) * c.factor;
      }
      index_ns = piece_ns / static_cast<double>(n);
      piece = last.by.alone.next_piece(now);
    }
  }

  base::rng random_{1};
  std::uint64_t runs_ = 0;
};

// OpenMP's regions under OMP_DYNAMIC (src/omp/small_regions.cpp).
class shipped_regions {
 public:
  double run(const world& w, const call& c) {
    const std::uint64_t indices = c.of->indices;
    const bool is_one_of_many = random_.below(decide::runs_a_timing) != 0;
    decide::recall none;
    last = {.indices = indices, .began_alone = true, .elapsed_ns = 0, .burden_ns = 0};
    last.by = {.how = decide::way::alone};
    bool guesses = false;
    if (!is_one_of_many || !site.is_usual(indices, none)) {
      const decide::site_view known = site.view(indices);
      last.burden_ns = w.burden_ns;
      last.by = decide::decide({.indices = indices,
                                .workers = w.workers,
                                .burden_ns = w.burden_ns,
                                .dice = random_.next(),
                                .may_recall = false},
                               known);
      last.began_alone = last.by.how == decide::way::alone;
      guesses = !last.began_alone && known.whole_ns == 0;
    }
    last.elapsed_ns = last.began_alone ? w.alone_ns(c) : w.shared_ns(c);
    const bool is_short = last.began_alone && last.elapsed_ns < decide::always_learnt_ns;
    if (is_short && is_one_of_many && !last.by.explores) return last.elapsed_ns;
    // Its caller works all the time, or waits for a lock, which looks the same.
    if (guesses) last.guess_ns = (c.of->shared_ns(0) * c.factor + c.preempted_ns) * w.workers;
    if (!last.began_alone) last.most_ns = std::max(last.elapsed_ns - w.burden_ns, 1.0) * w.workers;
    site.learn(last, decide::runs_stood_for(last));
    return last.elapsed_ns;
  }

  decide::site_times site;
  decide::outcome last{};

 private:
  base::rng random_{1};  // not the site's, which depend on where it lies
};

}  // namespace doall::tests
