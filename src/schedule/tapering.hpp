// tapering: guided, but with smaller chunks the more unevenly long iterations have been.
//
// Paper: S. Lucco, A dynamic scheduling method for irregular parallel programs, PLDI 1992, as AFS
// section 1 describes it: profile information about iteration times, mean mu and standard deviation
// sigma, selects a chunk that bounds the imbalance with high probability. With R iterations left
// and T = R / P,
//
//   v = alpha sigma / mu,   K = T + v^2 / 2 - v sqrt(2 T + v^2 / 4),
//
// which is the K that satisfies K = T - v sqrt(K + T): a chunk is shorter than an even share of
// what is left by alpha standard deviations of their difference, so that with alpha = 1.3, the
// usual choice, nine chunks of ten take less (if sums of times are nearly normal). A chunk is K
// rounded up, at most guided's ceil(T), but at least c (parameter `chunk`), which it is when
// T <= v^2 and K not positive. With sigma = 0 tapering is guided.
//
// mu and sigma come from the loop's earlier runs. While there is no history (the first run, no
// memory, or no measurements) a chunk is max(c, floor(R / 2P)): half of guided's, the share with
// which factoring begins a phase.
//
// Chunks are measured, not iterations. From J chunks of n iterations that took t:
//   mu = sum t / sum n,   sigma^2 = (sum t^2 / n - (sum t)^2 / sum n) / (J - 1),
// unbiased when iterations are independent, "irregular" as AFS says. Where neighbours cost alike
// (triangular loops, an expensive head), no sigma of single iterations predicts what a long chunk
// costs: there tapering starts with chunks almost as large as guided's, and factoring or affinity
// is the better choice. A run counts half in the next, a quarter in the one after, and so on, so
// that tapering follows a program that changes. Times that are not finite or are negative do not
// count.
//
// State: the first iteration not yet dealt; for each worker its sums of this run, which it alone
// writes; in memory the sums of the earlier runs. One compare-and-swap takes a chunk, from begin to
// begin + size, so chunks are disjoint and adjacent.
// Terminates: a failed swap means that another worker took a chunk.
// Cost: one compare-and-swap and one square root for each chunk; finish(): O(P).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "schedule/schedule.hpp"

namespace doall::schedules {

// Sums over measured chunks.
struct chunk_times {
  double chunks = 0;
  double iterations = 0;
  double time = 0;
  double squares = 0;  // of a chunk's time, divided by its iterations

  void operator+=(const chunk_times& other) {
    chunks += other.chunks;
    iterations += other.iterations;
    time += other.time;
    squares += other.squares;
  }

  chunk_times halved() const { return {chunks / 2, iterations / 2, time / 2, squares / 2}; }

  // sigma / mu; negative when the sums are not enough.
  double deviation() const {
    if (!(chunks > 1) || !(time > 0)) return -1;
    const double mean = time / iterations;
    const double variance = (squares - time * mean) / (chunks - 1);
    const double relative = std::sqrt(std::max(variance, 0.0)) / mean;
    return std::isfinite(relative) ? relative : -1;
  }
};

class tapering {
 public:
  struct options {
    u64 chunk = 0;
  };

  static constexpr description about = {
      .name = "tapering",
      .paper = "AFS",
      .summary = "guided, with smaller chunks the more iteration times have varied",
      .parameters = {{.key = "chunk",
                      .positional = true,
                      .meaning = "least iterations a chunk; default 1",
                      .iterations = true}},
      .properties = monotonic | adapts | remembers,
  };

  explicit tapering(const loop_context& loop)
      : shape_(loop.shape),
        least_(std::max<u64>(loop.given.as<options>().chunk, 1)),
        lines_(loop.lines),
        epoch_(loop.epoch),
        memory_(static_cast<sync::plain<chunk_times>*>(loop.memory)) {
    if (memory_ != nullptr) spread_ = alpha * memory_->get().deviation();
  }

  chunk next(worker w, feedback last) {
    if (last.iterations != 0 && memory_ != nullptr) record(w, last);
    // (1) relaxed; alone: only a guess for (2), which decides
    u64 begin = dealt_.load(sync::relaxed);
    for (;;) {
      if (begin >= shape_.iterations) return nothing_left;
      const u64 end = base::add_up_to(begin, size(shape_.iterations - begin), shape_.iterations);
      // (2) relaxed; alone: the counter itself is all that is communicated
      if (dealt_.compare_exchange_weak(begin, end, sync::relaxed, sync::relaxed)) {
        return {begin, end, 1, origin::central};
      }
    }
  }

  void finish() {
    if (memory_ == nullptr) return;
    chunk_times run;
    for (std::uint32_t w = 0; w < shape_.workers; ++w) {
      if (lines_[w].touch.look(epoch_) == base::first_touch::state::ready) run += read(lines_[w]);
    }
    if (run.chunks == 0) return;  // nothing was measured
    run += memory_->get().halved();
    const bool usable = std::isfinite(run.squares) && std::isfinite(run.time * run.time);
    memory_->set(usable ? run : chunk_times{});
  }

  static std::size_t memory_bytes(std::uint32_t) { return sizeof(sync::plain<chunk_times>); }

 private:
  static constexpr double alpha = 1.3;

  // How many of `left` > 0 iterations the next chunk has.
  u64 size(u64 left) const {
    if (spread_ < 0) return std::max(left / (u64{2} * shape_.workers), least_);
    const u64 most = base::ceil_div(left, shape_.workers);
    const double share = static_cast<double>(left) / shape_.workers;
    const double v = spread_;
    if (share <= v * v) return least_;
    const double k = std::ceil(share + v * v / 2 - v * std::sqrt(2 * share + v * v / 4));
    // For a share beyond 2^53 the terms may cancel to noise of either sign; and a double as large
    // as 2^64 is no u64.
    const u64 tapered = !(k > 0) ? 0 : k < static_cast<double>(most) ? static_cast<u64>(k) : most;
    return std::max(std::min(tapered, most), least_);
  }

  // Called by the worker alone: its line is its own, so it is never found being initialised.
  void record(worker w, feedback last) {
    if (!std::isfinite(last.elapsed) || last.elapsed < 0) return;
    worker_line& line = lines_[w.index];
    line.touch.ensure(epoch_, [&] { write(line, {}); });
    chunk_times mine = read(line);
    const auto n = static_cast<double>(last.iterations);
    mine += {1, n, last.elapsed, last.elapsed * last.elapsed / n};
    write(line, mine);
  }

  static chunk_times read(const worker_line& line) {
    // (3) relaxed; alone: read by the worker that wrote it, or when all have left
    const auto get = [&](int i) { return std::bit_cast<double>(line.word[i].load(sync::relaxed)); };
    return {get(0), get(1), get(2), get(3)};
  }

  static void write(worker_line& line, const chunk_times& sums) {
    const double words[] = {sums.chunks, sums.iterations, sums.time, sums.squares};
    for (int i = 0; i < 4; ++i) {
      // (4) relaxed; alone: as (3)
      line.word[i].store(std::bit_cast<u64>(words[i]), sync::relaxed);
    }
  }

  loop_shape shape_;
  u64 least_;
  worker_line* lines_;
  u64 epoch_;
  sync::plain<chunk_times>* memory_;
  double spread_ = -1;  // v; negative: no history
  alignas(base::line_bytes) sync::atomic<u64> dealt_{0};
};

}  // namespace doall::schedules
