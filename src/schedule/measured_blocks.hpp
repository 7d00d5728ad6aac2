// What best-static remembers of a loop: where to cut it, by how long its blocks have taken.
//
// The profile is a density of cost over the loop, piecewise constant. It is kept by its quantiles:
// positions that cut the loop into parts_each * P parts of the same cost, as far as is known; every
// parts_each-th is a worker's first. So the parts are narrow where iterations are expensive, and
// the memory does not grow with N. A position is a fraction of the loop, in units of 2^-64: a loop
// of another length is cut in the same proportions. A cut leaves each worker an iteration, and as
// few iterations as workers are not cut at all: of a loop over roles that wait for each other no
// worker has two and another one none, as in a static loop.
//
// Refining. A block that took t costs t / parts_each in each of its parts; the parts of a block
// keep the proportions that earlier runs gave them. The new quantiles are interpolated in these
// parts. One part a block would do for smooth costs. It never settles where a narrow stretch is
// expensive: each cut forgets what the ones before it have shown. With eight parts the stretch is
// enclosed from both sides.
//
// Time is what blocks took on the clock, so it includes time slices that other programs took. They
// only ever add. So the runs by one set of cuts are a window, and count by each block's shortest
// time. The first window is one run; a window of blocks that were balanced to a tenth makes the
// next one twice as long, up to eight runs; one that was not makes it one run. Cuts that balanced
// to two percent stay, with what workers have in their caches. In a window times are per iteration
// of the loop, so a loop may grow or shrink slowly; a run whose length differs by more than a
// sixteenth ends the window, and counts alone.
//
// Frozen blocks stay where they are: if the loop asks for it, once a window was nearly balanced or
// after eight tries; and those that another process has left (keep()).
//
// State, all zero at first: a header, and for each worker what its block took and its parts.
// Callers: measure(), the worker alone, at any time in a run; block(), any thread, in a run;
// settle(), one thread, when all have left and before the next run. Stale or odd numbers cost
// speed, never an answer: block() deals each iteration once whatever the positions are, if they do
// not decrease; settle() writes no others. Cost: measure() O(1); block() two products; settle()
// O(P), with a line of each worker's.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "schedule/frozen.hpp"
#include "schedule/schedule.hpp"

namespace doall::schedules {

class alignas(base::apart_bytes) measured_blocks {
 public:
  // Whether blocks may move again once they are balanced, or cannot be.
  enum class afterwards { moves, stays };

  static std::size_t bytes(std::uint32_t workers) {
    return sizeof(measured_blocks) + workers * sizeof(of_worker);
  }

  // Worker w's block.
  range block(std::uint32_t w, const loop_shape& shape) const {
    if (!window_.get().cut || shape.iterations <= shape.workers) return partition_of(w, shape);
    return {first(w, shape), first(w + 1, shape)};
  }

  // Adds what the worker's block took in this run. A run may be several loops that are cut alike.
  void measure(std::uint32_t w, double elapsed) {
    taken now = at(w).now.get();
    now.time += elapsed;
    now.blocks += 1;
    at(w).now.set(now);
  }

  // Where each block but the first begins, for another process: positions, workers - 1 of them.
  block_cuts read(std::uint32_t workers, u64* begins) const {
    const window all = window_.get();
    if (!all.cut) return all.imbalance != 0 || all.frozen ? block_cuts::even : block_cuts::unknown;
    for (std::uint32_t w = 1; w < workers; ++w) begins[w - 1] = at(w).parts.get()[0];
    return block_cuts::uneven;
  }

  // Puts them there, in new memory, and keeps them; null: even ones. They do not decrease.
  void keep(std::uint32_t workers, const u64* begins) {
    window all = window_.get();
    all.frozen = true;
    all.cut = begins != nullptr;
    window_.set(all);
    for (std::uint32_t w = 0; all.cut && w < workers; ++w) {
      positions all_alike;
      all_alike.fill(w == 0 ? 0 : begins[w - 1]);
      at(w).parts.set(all_alike);
    }
  }

  // Ends the run.
  void settle(const loop_shape& shape, afterwards then = afterwards::moves) {
    const bool whole = !window_.get().frozen && is_whole(shape);
    window all = window_.get();
    if (whole) {
      const bool joins = all.runs != 0 && is_near(shape.iterations, all.iterations);
      const bool alone = all.iterations != 0 && !is_near(shape.iterations, all.iterations);
      if (!joins) all.iterations = shape.iterations;
      all.runs = joins ? all.runs + 1 : 1;
      const double to_first =
          static_cast<double>(all.iterations) / static_cast<double>(shape.iterations);
      for (std::uint32_t w = 0; w < shape.workers; ++w) {
        const taken now = at(w).now.get();
        const double time =
            now.blocks == 0 ? 0 : to_first * now.time / static_cast<double>(now.blocks);
        at(w).least.set(joins ? std::min(at(w).least.get(), time) : time);
      }
      if (alone || all.runs >= all.length) renew(shape, all);
      window_.set(all);
      if (then == afterwards::stays) freeze_if_made(all);
    }
    for (std::uint32_t w = 0; w < shape.workers; ++w) {
      if (at(w).now.get().blocks != 0) at(w).now.set({});
    }
  }

 private:
  static constexpr std::uint32_t parts_each = 8;
  static constexpr std::uint32_t longest_window = 8;
  static constexpr double balanced = 1.02;
  static constexpr double nearly_balanced = 1.1;
  static constexpr std::uint32_t tries_most = 8;
  static constexpr double whole_loop = 0x1p64;

  struct window {
    u64 iterations = 0;        // of its first run
    std::uint32_t runs = 0;    // measured so far
    std::uint32_t length = 0;  // after how many the loop is cut anew
    bool cut = false;          // there are positions
    double imbalance = 0;      // of the last one; 0: there was none
    std::uint32_t tries = 0;   // windows in a row that were not nearly balanced
    bool frozen = false;       // blocks stay where they are
  };
  struct taken {
    double time = 0;
    u64 blocks = 0;
  };
  using positions = std::array<u64, parts_each>;

 public:
  // Behind the object, for each worker.
  struct alignas(base::apart_bytes) of_worker {
    sync::plain<taken> now;     // the worker's, in this run
    sync::plain<double> least;  // in the window
    alignas(base::apart_bytes) sync::plain<positions> parts;
    sync::plain<positions> next;  // settle()'s alone
  };

 private:
  of_worker& at(std::uint32_t w) { return reinterpret_cast<of_worker*>(this + 1)[w]; }
  const of_worker& at(std::uint32_t w) const {
    return reinterpret_cast<const of_worker*>(this + 1)[w];
  }

  // The iteration next to where worker w's block begins; does not decrease with w.
  u64 first(std::uint32_t w, const loop_shape& shape) const {
    if (w == 0) return 0;
    if (w == shape.workers) return shape.iterations;
    const base::u128 product = static_cast<base::u128>(at(w).parts.get()[0]) * shape.iterations;
    return static_cast<u64>((product + (base::u128{1} << 63)) >> 64);
  }

  static bool is_near(u64 one, u64 other) {
    return std::max(one, other) - std::min(one, other) <= other / 16;
  }

  // Whether all blocks were measured equally often, with times that can be added up.
  bool is_whole(const loop_shape& shape) const {
    u64 blocks = 0;
    double sum = 0;
    for (std::uint32_t w = 0; w < shape.workers; ++w) {
      if (block(w, shape).size() == 0) continue;
      const taken now = at(w).now.get();
      if (now.blocks == 0 || (blocks != 0 && now.blocks != blocks) || !(now.time >= 0))
        return false;
      blocks = now.blocks;
      sum += now.time;
    }
    return sum > 0 && std::isfinite(sum);
  }

  // After a window that found the blocks balanced, or the last try to balance them.
  void freeze_if_made(const window& seen) {
    const bool balances = seen.imbalance != 0 && seen.imbalance < nearly_balanced;
    if (!balances && seen.tries < tries_most) return;
    window all = window_.get();
    all.frozen = true;
    window_.set(all);
  }

  // Ends the window: cuts anew unless the blocks took as long as each other.
  void renew(const loop_shape& shape, window& all) {
    double sum = 0;
    double most = 0;
    for (std::uint32_t w = 0; w < shape.workers; ++w) {
      sum += at(w).least.get();
      most = std::max(most, at(w).least.get());
    }
    const double imbalance = most * shape.workers / sum;
    all.runs = 0;
    all.length = imbalance < nearly_balanced
                     ? std::clamp<std::uint32_t>(2 * all.length, 1, std::uint32_t{longest_window})
                     : 1;
    all.tries = imbalance < nearly_balanced ? 0 : all.tries + 1;
    all.imbalance = imbalance;
    if (!(imbalance > balanced) || !(sum > 0)) return;
    if (!all.cut) divide_evenly(shape.workers);
    cut(shape, sum, all.cut);
    all.cut = true;
  }

  void divide_evenly(std::uint32_t workers) {
    const double part = whole_loop / (double{parts_each} * workers);
    for (std::uint32_t w = 0; w < workers; ++w) {
      positions even;
      for (std::uint32_t i = 0; i < parts_each; ++i)
        even[i] = static_cast<u64>((double{parts_each} * w + i) * part);
      at(w).parts.set(even);
    }
  }

  // Moves the positions to the quantiles of what the window's blocks took. Goes once through the
  // parts as they are; `next_part` is the first of the new ones that has no position yet.
  void cut(const loop_shape& shape, double sum, bool was_cut) {
    const auto n = static_cast<double>(shape.iterations);
    const u64 parts = u64{parts_each} * shape.workers;
    const double each = sum / static_cast<double>(parts);
    const u64 one = base::u64_max / shape.iterations + 1;  // an iteration
    const bool enough = shape.iterations > shape.workers;
    u64 next_part = 0;
    u64 placed = 0;  // where the one before it is: rounding must not make a position smaller
    u64 begun = 0;   // where the block before begins
    const auto place = [&](double position) {
      constexpr double last = whole_loop - 0x1p11;  // the last double below it
      placed = std::max(placed, static_cast<u64>(std::clamp(position, 0.0, last)));
      const u64 w = next_part / parts_each;
      if (w != 0 && next_part % parts_each == 0 && enough) {
        const u64 most = base::u64_max - (shape.workers - w) * one + 1;
        begun = placed = std::clamp(placed, begun + one, most);
      }
      of_worker& of = at(static_cast<std::uint32_t>(w));
      positions next = of.next.get();
      next[next_part % parts_each] = placed;
      of.next.set(next);
      ++next_part;
    };
    double cost = 0;
    double position = 0;
    for (std::uint32_t w = 0; w < shape.workers; ++w) {
      const range whole = was_cut ? block(w, shape) : partition_of(w, shape);
      const double begin = static_cast<double>(whole.begin) / n * whole_loop;
      const double end = static_cast<double>(whole.end) / n * whole_loop;
      const double step = at(w).least.get() / parts_each;
      for (std::uint32_t i = 1; i <= parts_each; ++i) {
        const double upto = i == parts_each
                                ? end
                                : std::clamp(static_cast<double>(at(w).parts.get()[i]), begin, end);
        while (next_part < parts && static_cast<double>(next_part) * each <= cost + step) {
          const double share = step > 0 ? (static_cast<double>(next_part) * each - cost) / step : 0;
          place(position + (upto - position) * std::clamp(share, 0.0, 1.0));
        }
        cost += step;
        position = upto;
      }
    }
    while (next_part < parts) place(whole_loop);
    for (std::uint32_t w = 0; w < shape.workers; ++w) at(w).parts.set(at(w).next.get());
  }

  sync::plain<window> window_;
};

}  // namespace doall::schedules
